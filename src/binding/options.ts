import type { Client } from '../client.ts'
import type { Sentences } from '../describe.ts'
import type { SendonceError } from '../errors.ts'
import type { Outcome, Paused, Refused, Snapshot, Succeeded, Unknown } from '../lifecycle.ts'
import type { SubmitRequest } from '../request.ts'

/** What `useIdempotentSubmit` is told. Functions may be new in every render: the latest are called. */
export interface SubmitOptions<Input, T> {
  /** What sends it. @default the one of <SendonceProvider> */
  readonly client?: Client
  /** The name of what is to happen once: `checkout:cart-42`. Another name is another operation. */
  readonly operation: string
  /** What to send. Called once per submit; what it throws is a `not-sent` error. */
  readonly request: (input: Input) => SubmitRequest<T>
  /** Reads the form. Needed by `formProps` and `action`; what it throws is a `not-sent` error. */
  readonly fromForm?: (form: FormData) => Input
  /**
   * What to do with an unsettled record that is found at mount. `auto`: go on, once, in a visible page; what only a
   * person may decide waits all the same. @default 'ask'
   */
  readonly resume?: 'ask' | 'auto'
  /** Fetches the one-time token when the form mounts in a visible page, where the server profile has one. @default false */
  readonly prefetch?: boolean
  /** Your own words for `message`, as for `describe`. */
  readonly sentences?: Partial<Sentences>
  /** Runs once: in the tab that submitted, or, if that died before, in the first visible page that shows its form. */
  readonly onSuccess?: (outcome: Succeeded<T>) => void
  /** In the tab that submitted, as the following. */
  readonly onRefused?: (outcome: Refused) => void
  /** Nobody knows whether it happened: never to be shown as failed. */
  readonly onUnknown?: (outcome: Unknown) => void
  /** Nothing was executed; the key is kept. */
  readonly onPaused?: (outcome: Paused) => void
  /** Nothing was sent; the error's `code` says why. */
  readonly onError?: (error: SendonceError) => void
}

/** What `useIdempotentSubmit` gives. All functions are stable for as long as client and operation are the same. */
export interface IdempotentSubmit<Input, T> {
  /** Submits once. Never rejects: undefined means that nothing was sent, and `error` and `onError` tell why. */
  readonly submit: (input: Input) => Promise<Outcome<T> | undefined>
  /** What is known now; idle where all that is known is a success of which a person was told before this form was there. */
  readonly snapshot: Snapshot<T>
  /** Preparing, sending or waiting, in any tab. */
  readonly isSubmitting: boolean
  /** Why nothing was sent by the last call; null after the next one, or once an outcome is there. */
  readonly error: SendonceError | null
  /** For the person in front of the form: of the error if there is one, else of the snapshot; nothing while it is idle. */
  readonly message: string
  /**
   * `<form {...formProps}>`: prevents the default and reads the form with the button that was pressed; one with
   * `formMethod="dialog"` closes its dialog and sends nothing. What was submitted is kept in this tab until it has
   * succeeded or was given up, and is in the form again after a reload; never what is `sensitive`, a password, a credit
   * card, or `autoComplete="off"`. A `ref` of your own has to call this one.
   */
  readonly formProps: {
    /** Finds the form, to fill it in again. */
    readonly ref: (form: HTMLFormElement | null) => void
    /** Prevents the default and submits. */
    readonly onSubmit: (event: {
      /** Of the event. */
      preventDefault(): void
      /** The form. */
      readonly currentTarget: EventTarget
      /** Has the button that was pressed. */
      readonly nativeEvent?: unknown
    }) => void
  }
  /**
   * `<form action={action}>`, for controlled fields: React resets uncontrolled ones after every action, and holds all
   * transitions back while one is under way. React 19 only. Never throws.
   */
  readonly action: (form: FormData) => Promise<void>
  /**
   * `<button {...submitProps}>`: `aria-disabled` and `aria-busy` while it is under way; not `disabled`, which would lose the
   * focus. A second click meets the first.
   */
  readonly submitProps: { readonly 'aria-disabled': boolean; readonly 'aria-busy': boolean }
  /** Another turn with the frozen request. Never rejects. */
  readonly resume: () => Promise<Outcome<T> | undefined>
  /** Asks the server what happened; sends nothing that could have an effect. Never rejects. */
  readonly recover: () => Promise<Outcome<T> | undefined>
  /** Gives the operation up, so that the next submit gets a new key. Never rejects; `error` is `in-flight` while one is under way. */
  readonly discard: () => Promise<void>
  /** Forgets a settled outcome in this page, so that the form is fresh. */
  readonly reset: () => void
}
