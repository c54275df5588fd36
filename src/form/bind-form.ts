import { sourceOf } from '../binding/client-source.ts'
import { idOf } from '../binding/desk.ts'
import { createSubmission } from '../binding/submission.ts'
import type { Client } from '../client.ts'
import { describe } from '../describe.ts'
import { invalid } from '../errors.ts'
import { contentOf } from '../fields.ts'
import { dataOf } from '../form-data.ts'
import { propertyOf } from '../form-property.ts'
import type { Outcome, Snapshot } from '../lifecycle.ts'
import { report } from '../report.ts'
import { createLoan } from './loan.ts'
import type { BoundForm, FormOptions } from './options.ts'
import { requestOf } from './request.ts'
import { createButton, createCountdown, slotOf } from './slots.ts'
import { statusOf } from './status.ts'

/** The second half of a double click still meets what it was meant for: as `joinMs` of the client, where it is not set. */
const EMPTY_AFTER_MS = 1_000

const bindings = new WeakMap<HTMLFormElement, () => void>()

/** What is being sent of a form, whichever binding of it has begun that. */
interface Sent extends Pick<FormOptions, 'client' | 'operation'> {
  /** All that a person may have changed since. */
  content: readonly unknown[] | undefined
  /** The key that it is sent with, once that is known. */
  key: string | undefined
  /** What was in it when it was submitted again under way: sent under another key, if the first was never executed. */
  next: readonly unknown[] | undefined
  /** How often it was submitted. */
  count: number
}

const sentBy = new WeakMap<HTMLFormElement, Sent>()

/** Is being reset by us, which gives nothing up. */
let emptied: HTMLFormElement | undefined

/**
 * Makes a plain `<form>` do its work once, however often it is submitted, in however many tabs. Native validation comes
 * first, the focus stays where it is, and what was typed stays until it has succeeded. A form has one binding: the
 * next one ends the last.
 *
 * Buttons with `data-sendonce-resume`, `data-sendonce-recover` and `data-sendonce-discard` are shown while they can do
 * something, `data-sendonce-countdown` shows the seconds to the next attempt; all are in the form, or of it by their
 * `form` attribute. The form itself has the state as its `data-sendonce-state`.
 *
 * @throws SendonceError `invalid-argument`, which says what and what to do
 * @example
 * bindForm(document.querySelector('form'), {
 *   client: createClient({ scope: 'ada' }),
 *   operation: 'checkout:cart-42',
 *   request: form => ({ url: '/api/orders', json: Object.fromEntries(form) }),
 *   onSuccess: ({ data }) => location.assign(data ? `/orders/${data.id}` : '/orders'),
 * })
 */
export function bindForm<T = unknown>(
  form: HTMLFormElement,
  options: FormOptions<T>,
): BoundForm<T> {
  if (!form) throw invalid('form', form, 'pass a <form> element')
  const { client, operation, request, sentences, message, signal } = options
  let submitter: HTMLElement | null = null
  const submission = createSubmission<FormData, T>(sourceOf(client), operation)
  submission.follow({
    ...options,
    request: data => request?.(data) ?? requestOf(form, submitter, data),
  })
  const { formProps, submit, resume, recover, discard, reset } = submission.look()
  formProps.ref(form)
  const stopHearing = submission.subscribe(show)
  bindings.get(form)?.()
  bindings.set(form, stop)
  const sent = sentOf(form, client, operation)

  const loan = createLoan()
  const status = statusOf(form, options.status ?? slotOf(form, 'status'), loan)
  const countdown = createCountdown(form, loan)
  const bound = { resume: anew(resume), recover: anew(recover), discard: anew(discard) }
  const buttonOf = (name: keyof typeof bound) =>
    createButton(form, name, () => void bound[name](), loan)
  const resumeButton = buttonOf('resume')
  const recoverButton = buttonOf('recover')
  const discardButton = buttonOf('discard')
  /** Submit buttons, some of which may have left the form since. */
  const busyButtons = new Set<Element>()
  /** Nothing of the operation was seen yet. */
  let isNew = true
  /** What was shown last, by {@link idOf}: it stays until the next submit is on its way, and is no success of that one. */
  let last: string | undefined

  const listen = propertyOf(form, 'addEventListener')
  listen('submit', send, loan)
  listen('reset', event => emptied === form || event.defaultPrevented || reset(), loan)
  signal?.addEventListener('abort', stop, loan)
  if (signal?.aborted) stop()
  show()
  return {
    ...bound,
    get snapshot() {
      return submission.look().snapshot
    },
    stop,
  }

  async function send(event: SubmitEvent): Promise<void> {
    const button = event.submitter as HTMLButtonElement | null
    // A listener before has said no, or a button only closes its dialog.
    if (event.defaultPrevented || button?.formMethod === 'dialog') return
    event.preventDefault()
    submitter = button
    const before = { ...sent }
    sent.count += 1
    const { count } = sent
    const content = contentOf(form)
    if (before.content && submission.look().isSubmitting) sent.next = content
    else Object.assign(sent, { content, key: undefined, next: undefined })
    const outcome = await anew(submit)(dataOf(form, button))
    // Unless it was another body that has taken its place.
    if (!outcome && count === sent.count) Object.assign(sent, before)
  }

  /** Somebody has done something: all that is said of it is news. */
  function anew<Given extends unknown[], R>(act: (...given: Given) => R): (...given: Given) => R {
    return (...given) => {
      status.begin()
      return act(...given)
    }
  }

  function show(): void {
    if (loan.signal.aborted) return
    const { snapshot, error, isSubmitting } = submission.look()
    if (isNew && snapshot.state !== 'idle') meet(snapshot)
    const { state } = snapshot
    loan.set(form, 'data-sendonce-state', state)
    busy(isSubmitting)
    const own = error ? undefined : messageOf(snapshot)
    status.say(own ?? describe(error ?? snapshot, { idle: '', ...sentences }))
    resumeButton(state === 'paused' || (state === 'unknown' && snapshot.resumable))
    recoverButton(state === 'unknown' && snapshot.recoverable)
    // With another body, or after a sign-out, it may be the only way on.
    const isInTheWay = error?.code === 'payload-changed' && !isSubmitting
    discardButton(state === 'paused' || state === 'unknown' || isInTheWay)
    countdown(snapshot)
    const id = idOf(snapshot)
    if (id !== last && sent.content) {
      const { key } = snapshot as Outcome<T>
      if (key && sent.key && key !== sent.key && sent.next)
        Object.assign(sent, { content: sent.next, key, next: undefined })
      sent.key ??= key
      if (state === 'succeeded' && key === sent.key) empty(sent.content)
    }
    last = id
  }

  /** What was there before this page, or comes of its first submit. */
  function meet(snapshot: Snapshot<T>): void {
    isNew = false
    // Put back after a reload, unless something else was typed meanwhile, which nobody has sent.
    const { state } = snapshot
    const isBack = state === 'paused' || state === 'unknown' || submission.isBack()
    if (isBack && !submission.isMixed()) sent.content ??= contentOf(form)
  }

  /** A form that keeps what was ordered invites a second order. What was typed since stays. */
  function empty(ordered: readonly unknown[]): void {
    sent.content = undefined
    setTimeout(() => {
      // Another one may be under way by then, or refused.
      const state = propertyOf(form, 'getAttribute')('data-sendonce-state')
      if (state !== 'idle' && state !== 'succeeded') return
      const now = contentOf(form)
      if (now.length !== ordered.length || now.some((is, at) => is !== ordered[at])) return
      emptied = form
      propertyOf(form, 'reset')()
      emptied = undefined
    }, EMPTY_AFTER_MS)
  }

  function messageOf(snapshot: Snapshot<T>): string | undefined {
    try {
      return message?.(snapshot)
    } catch (cause) {
      report(cause)
      return undefined
    }
  }

  /** Not `disabled`, which would lose the focus. A second click meets the first. */
  function busy(isBusy: boolean): void {
    const value = isBusy ? 'true' : undefined
    loan.set(form, 'aria-busy', value)
    // Not `elements`, which has no images.
    const root = propertyOf(form, 'getRootNode')()
    for (const is of propertyOf(root, 'querySelectorAll')<HTMLInputElement>('button, input')) {
      if (is.form === form && /submit|image/.test(is.type)) busyButtons.add(is)
    }
    for (const button of busyButtons) loan.set(button, 'aria-disabled', value)
    if (!isBusy) busyButtons.clear()
  }

  function stop(): void {
    if (loan.signal.aborted) return
    stopHearing()
    formProps.ref(null)
    if (bindings.get(form) === stop) bindings.delete(form)
    loan.end()
  }
}

function sentOf(form: HTMLFormElement, client: Client, operation: string): Sent {
  const before = sentBy.get(form)
  if (before?.client === client && before.operation === operation) return before
  const sent: Sent = {
    client,
    operation,
    content: undefined,
    key: undefined,
    next: undefined,
    count: 0,
  }
  sentBy.set(form, sent)
  return sent
}
