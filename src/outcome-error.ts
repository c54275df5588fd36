import { SendonceError } from './errors.ts'
import type { Paused, Refused, Unknown } from './lifecycle.ts'

/** Thrown by `submitOrThrow`: what is known, where it is not a success. */
export class OutcomeError extends SendonceError {
  /** What `submit` would have resolved with. */
  readonly outcome: Refused | Paused | Unknown

  constructor(outcome: Refused | Paused | Unknown) {
    super(
      outcome.state === 'unknown' ? 'unknown-outcome' : outcome.state,
      outcome.state === 'unknown'
        ? `Nobody knows whether "${outcome.operation}" happened (${outcome.reason}).`
        : `"${outcome.operation}" was ${outcome.state}.`,
    )
    this.outcome = outcome
  }
}
