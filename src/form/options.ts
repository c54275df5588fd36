import type { SubmitOptions } from '../binding/options.ts'
import type { Client } from '../client.ts'
import type { Outcome, Snapshot } from '../lifecycle.ts'
import type { SubmitRequest } from '../request.ts'

/** What `bindForm` is told. */
export interface FormOptions<T = unknown>
  extends Omit<SubmitOptions<FormData, T>, 'client' | 'request' | 'fromForm'> {
  /** Sends the form. */
  readonly client: Client
  /**
   * What to send for the fields, that of the button that was pressed among them. Called once per submit; what it throws
   * is a `not-sent` error. @default what the browser would send, by the form's `action`, `method` and `enctype`
   */
  readonly request?: (form: FormData) => SubmitRequest<T>
  /** Where it is said what is known. @default the element with `data-sendonce-status`, else a new one in the form */
  readonly status?: HTMLElement
  /** The sentence for one outcome, where it depends on the answer. Undefined leaves it to `sentences`. */
  readonly message?: (snapshot: Snapshot<T>) => string | undefined
  /** Ends the binding, as `stop()` does. */
  readonly signal?: AbortSignal
}

/** A form that is bound. No promise of it rejects: undefined means that nothing was sent, and `onError` tells why. */
export interface BoundForm<T = unknown> {
  /** What is known now. */
  readonly snapshot: Snapshot<T>
  /** Another turn with the frozen request. */
  resume(): Promise<Outcome<T> | undefined>
  /** Asks the server what happened; sends nothing that could have an effect. */
  recover(): Promise<Outcome<T> | undefined>
  /** Gives the operation up, so that the next submit gets a new key. `in-flight` while an attempt is on the wire. */
  discard(): Promise<void>
  /**
   * The page's own elements are again as they were before; what is under way goes on. A form that is removed from the
   * page needs none, unless its `status`, a button outside of it or a `signal` lasts.
   */
  stop(): void
}
