/** One attempt without an answer is the network's; so many that never had one are likely to be refused by the browser. */
const SILENT_ATTEMPTS = 2

/** Notices another origin that never answers: a refused preflight looks like a dead network. */
export interface CorsHint {
  answered(origin: string): void
  /** What its server may have to allow, if it is to be told now. */
  unanswered(origin: string, headers: readonly string[]): string | undefined
}

/** Has one hint for each origin, and none where there is no page. */
export function createCorsHint(): CorsHint {
  const silent = new Map<string, number>()
  return {
    answered(origin) {
      silent.set(origin, Number.NEGATIVE_INFINITY)
    },
    unanswered(origin, headers) {
      const here = globalThis.location?.origin
      if (!here || here === origin) return undefined
      const count = (silent.get(origin) ?? 0) + 1
      silent.set(origin, count)
      if (count !== SILENT_ATTEMPTS) return undefined
      return `${origin} does not answer. If the browser says that CORS refused the request, that server has to allow ${here}, with the request headers ${headers.join(', ')}.`
    },
  }
}
