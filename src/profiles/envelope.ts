import { at } from './match.ts'
import type { JsonPointer, Rule, ServerProfile } from './profile.ts'
import { NOT_OURS } from './read.ts'
import type { Sign } from './sign.ts'
import { rulesFor, SUCCESSFUL } from './sign.ts'

type Code = string | number | boolean | RegExp

/** The exact value of a code in an envelope, or a pattern for one that is text; one or several. */
export type Codes = Code | readonly Code[]

/** A server that answers with 200 whatever happened, and says in the body what it means: `{ code, message, data }`. */
export interface Envelope {
  /** Where the code is. @default '/code' */
  readonly code?: JsonPointer
  /** The codes that say that it happened. Every other one, where a preset has no other word for it, is a refusal. */
  readonly success: Codes
  /** The codes that ask for another sign-in. @default none */
  readonly unauthorized?: Codes
  /** Where the result is. @default '/data' */
  readonly data?: JsonPointer
}

/** A 2xx with one of these codes. */
export const withCode = (codes: Codes, code: JsonPointer): Sign[] =>
  [codes].flat().map(value => ({ status: SUCCESSFUL, body: { [code]: value } }))

/**
 * How a preset reads answers: by the signs that it knows, else as the envelope says, or by status where there is
 * none. A 2xx without a code is not the server's word: its body was cut off, or somebody else said it.
 */
export function readAs(
  envelope: Envelope | undefined,
  known: readonly Rule[],
): Pick<ServerProfile, 'rules' | 'data' | 'classify'> {
  if (!envelope) return { rules: known }
  const { code = '/code', success, unauthorized = [], data = '/data' } = envelope
  return {
    rules: [
      ...known,
      ...NOT_OURS,
      ...rulesFor(withCode(success, code), { is: 'success' }),
      ...rulesFor(withCode(unauthorized, code), { is: 'not-executed', because: 'unauthorized' }),
      { status: SUCCESSFUL, then: { is: 'failure', said: 'origin' } },
    ],
    data,
    classify: ({ status, json }) =>
      status < 300 && at(json, code) === undefined ? { is: 'unknown' } : undefined,
  }
}
