/**
 * Why a call of this library rejected. Codes are API: they do not change within a major version, messages may.
 *
 * The first eight mean that **nothing was sent** by this call; the last three are thrown by `submitOrThrow` and, but for
 * `refused`, by `fetch`, and carry the outcome.
 */
export type ErrorCode =
  | 'invalid-argument'
  | 'payload-changed'
  | 'body'
  | 'storage'
  | 'not-sent'
  | 'aborted'
  | 'in-flight'
  | 'closed'
  | 'refused'
  | 'unknown-outcome'
  | 'paused'

/** The one error class of the library. Tell errors apart by {@link SendonceError.code}, never by the message. */
export class SendonceError extends Error {
  override readonly name = 'SendonceError'
  /** See {@link ErrorCode}. */
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * Whether something that was caught is an error of this library, also one of another copy of it (another bundle,
 * another realm), and, if `code` is given, has that code.
 */
export function isSendonceError<C extends ErrorCode>(
  error: unknown,
  code?: C,
): error is SendonceError & { readonly code: C } {
  return (
    error instanceof Error &&
    error.name === 'SendonceError' &&
    (code === undefined || (error as SendonceError).code === code)
  )
}

/** An argument that cannot be right, refused before anything is minted, stored or sent. */
export function invalid(what: string, value: unknown, instead: string): SendonceError {
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value)
  return new SendonceError('invalid-argument', `${what} is ${shown}: ${instead}.`)
}

/** Refuses an argument unless it is good. */
export function check(good: unknown, what: string, value: unknown, instead: string): asserts good {
  if (!good) throw invalid(what, value, instead)
}

/** Runs what reads an argument or calls a function in it: what that throws by itself is an error of the caller's too. */
export function reading<R>(what: string, read: () => R): R {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof SendonceError) throw cause
    throw new SendonceError('invalid-argument', `${what} cannot be used: ${cause}.`, { cause })
  }
}
