import type { Outcome, Snapshot, Succeeded } from './lifecycle.ts'
import type { SubmitRequest } from './request.ts'

/** One operation of a client: what a form, a button or a hook holds on to. */
export interface Operation<T> {
  /** As the app gave it. */
  readonly name: string
  /**
   * Sends the request once. Resolves with what is known when the turn ends; rejects with a {@link SendonceError} only
   * where nothing was sent (`invalid-argument`, `payload-changed`, `body`, `storage`, `not-sent`, `aborted`, `closed`).
   */
  submit(request: SubmitRequest<T>): Promise<Outcome<T>>
  /** Like `submit`, but everything but a success rejects: `refused`, `paused`, `unknown-outcome` with the `outcome`. */
  submitOrThrow(request: SubmitRequest<T>): Promise<Succeeded<T>>
  /**
   * Fetches the one-time token of the client's profile ahead of the submit, so that this need not wait for it: when the form
   * appears. Does nothing for a profile without one, nor while one that is still good lies ready. Rejects with `not-sent`
   * where none is to be had; the submit asks again.
   */
  prepare(): Promise<void>
  /** Another turn with the frozen request. Rejects with `invalid-argument` where there is nothing to resume. */
  resume(): Promise<Outcome<T>>
  /**
   * Asks the server what happened, as the profile knows to; sends nothing that could have an effect. Known to have
   * succeeded: that is the outcome. Known never to be applied any more: paused, free to be sent again with the same key.
   * Else nothing changes. Rejects with `invalid-argument` where the profile cannot ask or there is nothing to ask about.
   */
  recover(): Promise<Outcome<T>>
  /**
   * The app's word that this one is given up, so that the next submit gets a new key. Rejects with `in-flight` while an
   * attempt is on the wire, here or in another tab.
   */
  discard(): Promise<void>
  /** A stable reference until something changes. Never throws, never reads storage. */
  getSnapshot(): Snapshot<T>
  /** Calls back when the snapshot changes, also by another tab. Returns its own stop. */
  subscribe(listener: () => void): () => void
  /**
   * Says that the success is no news any more: the app has made something of it, or a person has seen what was found
   * stored. Resolves when that is on disk, or cannot be; a page that is left before then may find it as `news` once more.
   */
  acknowledge(): Promise<void>
}
