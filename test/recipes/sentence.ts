import { describe, isSendonceError } from 'sendonce'

/** What to tell the person who ordered, when a call over `api.fetch` throws. */
export function sentenceOf(error: unknown): string {
  // tRPC and axios wrap what their fetch threw; the wrap of axios has its name, but no outcome.
  const known = [(error as Error).cause, error].find(each => isSendonceError(each))
  return known ? describe(known) : (error as Error).message
}
