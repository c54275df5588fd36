import { sourceOf } from '../binding/client-source.ts'
import { idOf } from '../binding/desk.ts'
import { createSubmission } from '../binding/submission.ts'
import { describe } from '../describe.ts'
import { check } from '../errors.ts'
import { isForDialog } from '../form-data.ts'
import { propertyOf } from '../form-property.ts'
import { reporting } from '../report.ts'
import { createEmptying, isEmptying } from './emptying.ts'
import { createLoan } from './loan.ts'
import type { BoundForm, FormOptions } from './options.ts'
import { requestOf } from './request.ts'
import { countdownIn, createButton, slotOf } from './slots.ts'
import { statusOf } from './status.ts'

interface Binding {
  readonly stop: () => void
  /** What the status says. */
  said: string
}

const bindings = new WeakMap<HTMLFormElement, Binding>()

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
  check(form, 'form', form, 'pass a <form> element')
  const { client, operation, request, sentences, message, signal } = options
  let submitter: HTMLElement | null = null
  const submission = createSubmission<FormData, T>(sourceOf(client), operation)
  submission.options = {
    ...options,
    fromForm: data => data,
    request: data => request?.(data) ?? requestOf(form, submitter, data),
  }
  const { formProps, resume, recover, discard, reset } = submission.look()
  formProps.ref(form)
  const stopHearing = submission.subscribe(show)
  const before = bindings.get(form)
  const self: Binding = { stop, said: '' }
  bindings.set(form, self)
  // What has just succeeded is still to be heard when a page goes on to its next operation.
  let ready = before && isEmptying(form) ? before.said : ''
  const emptying = createEmptying(form, client.operation(operation))

  const loan = createLoan()
  const status = statusOf(form, options.status ?? slotOf(form, 'status'), loan)
  const countdown = countdownIn(form, loan)
  const bound = { resume: anew(resume), recover: anew(recover), discard: anew(discard) }
  const buttonOf = (name: keyof typeof bound) => createButton(form, name, bound[name], loan)
  const resumeButton = buttonOf('resume')
  const recoverButton = buttonOf('recover')
  const discardButton = buttonOf('discard')
  /** What is lent while it is under way: some of its buttons may have left the form since. */
  const busyness = createLoan()
  /** Nothing of the operation was seen yet. */
  let isNew = true
  /** What was shown last, by {@link idOf}: it stays until the next submit is on its way, and is no success of that one. */
  let last: string | undefined

  const listen = propertyOf(form, 'addEventListener')
  listen('submit', send, loan)
  listen(
    'reset',
    event => {
      // A listener of the page may still say no.
      if (!isEmptying(form)) setTimeout(() => event.defaultPrevented || reset())
    },
    loan,
  )
  signal?.addEventListener('abort', stop, loan)
  if (signal?.aborted) stop()
  show()
  // Now that what it has changed of the page is changed again: a button that was hidden in between would lose the focus.
  before?.stop()
  return {
    ...bound,
    get snapshot() {
      return submission.look().snapshot
    },
    stop,
  }

  async function send(event: SubmitEvent): Promise<void> {
    // A listener before has said no.
    if (event.defaultPrevented || isForDialog(form, event.submitter)) return
    event.preventDefault()
    status.begin()
    submitter = event.submitter
    const takeBack = emptying.submit(submission.look().isSubmitting)
    if (!(await submission.press(form, submitter))) takeBack()
  }

  /** Somebody has done something: all that is said of it is news. */
  function anew<R>(act: () => R): () => R {
    return () => {
      status.begin()
      return act()
    }
  }

  function show(): void {
    if (loan.signal.aborted) return
    const { snapshot, error, isSubmitting } = submission.look()
    const { state } = snapshot
    if (state !== 'idle') ready = ''
    const isOpen = state === 'paused' || state === 'unknown'
    const draft = submission.draft()
    // What was there before this page is in the form, unless something else was typed meanwhile, which nobody has sent.
    if (((isNew && isOpen) || draft?.isBack()) && !draft?.isMixed()) emptying.found()
    if (state !== 'idle') isNew = false
    loan.set(form, 'data-sendonce-state', state)
    if (isSubmitting) beBusy()
    else busyness.end()
    const own = error ? undefined : reporting(() => message?.(snapshot))
    self.said = own ?? describe(error ?? snapshot, { idle: ready, ...sentences })
    status.say(self.said)
    resumeButton(state === 'paused' || (state === 'unknown' && snapshot.resumable))
    recoverButton(state === 'unknown' && snapshot.recoverable)
    // With another body, or after a sign-out, it may be the only way on.
    const isInTheWay = error?.code === 'payload-changed' && !isSubmitting
    discardButton(isOpen || isInTheWay)
    countdown(snapshot)
    const id = idOf(snapshot)
    if (id !== last) emptying.see(snapshot)
    last = id
  }

  /** Not `disabled`, which would lose the focus. A second click meets the first. */
  function beBusy(): void {
    busyness.set(form, 'aria-busy', 'true')
    // Not `elements`, which has no images.
    const root = propertyOf(form, 'getRootNode')()
    for (const is of propertyOf(root, 'querySelectorAll')<HTMLInputElement>('button, input')) {
      if (is.form === form && /submit|image/.test(is.type))
        busyness.set(is, 'aria-disabled', 'true')
    }
  }

  function stop(): void {
    stopHearing()
    formProps.ref(null)
    if (bindings.get(form) === self) bindings.delete(form)
    busyness.end()
    loan.end()
  }
}
