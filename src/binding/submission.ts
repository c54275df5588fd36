import { isVisible } from '../browser.ts'
import type { Draft } from '../draft.ts'
import { keepDraft } from '../draft.ts'
import { check, isSendonceError, SendonceError } from '../errors.ts'
import { isForDialog } from '../form-data.ts'
import { pausedOrLeft } from '../leaving.ts'
import type { Idle, Outcome, Snapshot, WaitReason } from '../lifecycle.ts'
import { needsNobody } from '../lifecycle.ts'
import type { Operation } from '../operation.ts'
import type { ClientSource } from './client-source.ts'
import type { Desk, Hearer } from './desk.ts'
import { deskOf, idOf } from './desk.ts'
import type { IdempotentSubmit, SubmitOptions } from './options.ts'
import { pressOf } from './press.ts'

/** What the hook gives, but for the words. */
interface Shown<Input, T> extends Omit<IdempotentSubmit<Input, T>, 'message'> {
  /** What is put into words: of a retry the wait before it, or a screen reader would say both again with every attempt. */
  readonly said: Snapshot<T>
}

/** Waits after which another attempt is nothing new. */
const SAID_ON: readonly WaitReason[] = ['backoff', 'in-progress', 'rate-limited']

/** One operation of one client, for one form: what stands behind the hook and behind `bindForm`. */
export interface Submission<Input, T> {
  /** Set in every commit: what was passed to a render that came to nothing is never called. */
  options: SubmitOptions<Input, T>
  subscribe(changed: () => void): () => void
  /** The same object until something changes. */
  look(): Shown<Input, T>
  /** A click on a button of a form, or Enter in it. Resolves with undefined where nothing is sent of it. */
  press(form: HTMLFormElement, submitter: HTMLElement | null): Promise<Outcome<T> | undefined>
  /** What a server renders, and its page to begin with. */
  lookOnServer(): Shown<Input, T>
  /** Of the form, once it has had one. */
  draft(): Draft | undefined
}

/** Two writes to a slow disk; whoever waits for a page to go on notices half a second. */
const NOTED_WITHIN_MS = 300

const CALLBACKS = {
  succeeded: 'onSuccess',
  refused: 'onRefused',
  unknown: 'onUnknown',
  paused: 'onPaused',
} as const

/**
 * What may change is in here and in the client, none of it in React state: a state that is set inside a form action or
 * a transition shows when that is over.
 */
export function createSubmission<Input, T>(
  source: ClientSource,
  name: string,
): Submission<Input, T> {
  type Result = Shown<Input, T>
  const idle: Idle = { state: 'idle', operation: name, read: false }
  const fresh: Idle = { ...idle, read: true }
  const self: Submission<Input, T> & Hearer = {
    // Nothing is called before the first commit.
    options: {} as SubmitOptions<Input, T>,
    changed() {},
    subscribe(changed) {
      const operation = open()
      const desk = deskOf(operation)
      self.changed = changed
      desk.mounted.add(self)
      desk.unseen = false
      // Whoever asked for a turn hears of its end.
      if (desk.turns) met = true
      const stop = operation.subscribe(() => {
        meet(operation, desk)
        hear(operation.getSnapshot(), desk)
        changed()
      })
      return () => {
        stop()
        desk.mounted.delete(self)
        self.changed = () => {}
      }
    },
    look,
    async press(form, submitter) {
      const press = pressOf(form, submitter, known(), look().isSubmitting)
      if (!press) return undefined
      const outcome = await send(() => read(press.data), press.isAgain)
      if (outcome?.state === 'succeeded') press.hasSucceeded = true
      return outcome
    },
    lookOnServer: () => atFirst,
    draft: () => draft,
  }
  /** What is there at mount has been seen to. */
  let met = false
  /** A success that somebody was told of before this form was there, by {@link idOf}, or ''. Undefined: not read yet. */
  let old: string | undefined
  /** Turns that were asked for here and are not over. */
  let turns = 0
  /** What is under way in this page was asked for by none of its forms. */
  let isElsewheres = false
  let error: SendonceError | null = null
  /** Is idle since the task before. */
  let stayed: Snapshot<T> | undefined
  /** Stays when its form goes: what it has kept goes with the success. */
  let draft: Draft | undefined
  let drafted: HTMLFormElement | null = null
  let mountedForm: HTMLFormElement | null = null

  const send = (input: () => Input, isKept = false) =>
    turn(operation => {
      const request = self.options.request(input())
      const outcome = operation.submit(request)
      if (request.sensitive) draft?.forget()
      else if (drafted && !isKept) draft?.keep(outcome)
      return outcome
    })
  const actions = {
    submit: (input: Input) => send(() => input),
    formProps: {
      ref(form) {
        mountedForm = form
        // A ref that is new in every render is called with null, and in the same task with the form that it had.
        if (form) keepDraftOf(form)
        else queueMicrotask(() => keepDraftOf(mountedForm))
      },
      onSubmit(event) {
        const { currentTarget, nativeEvent } = event
        const { target, submitter = null } = (nativeEvent ?? {}) as Partial<SubmitEvent>
        const form = currentTarget as HTMLFormElement
        // For React the form of a portal is in this one.
        if ((target && target !== form) || isForDialog(form, submitter)) return
        event.preventDefault()
        self.press(form, submitter)
      },
    },
    async action(form: FormData) {
      await send(() => read(form))
    },
    resume: () => turn(operation => operation.resume()),
    recover: () => turn(operation => operation.recover()),
    discard: () =>
      attempt(async operation => {
        await operation.discard()
        // Unless it was submitted anew meanwhile.
        if (operation.getSnapshot().state === 'idle') draft?.forget()
      }),
    reset() {
      fail(null)
      const operation = open()
      const snapshot = operation.getSnapshot()
      if (snapshot.state !== 'succeeded' && snapshot.state !== 'refused') return
      draft?.forget()
      const desk = deskOf(operation)
      // Out of sight only: a record that is gone could not stop the second half of a double click.
      desk.forgotten = idOf(snapshot)
      for (const each of desk.mounted) each.changed()
    },
  } satisfies Partial<Result>
  let said: Snapshot<T> = idle
  const atFirst = show(idle)
  let shown = atFirst
  return self

  function look(): Result {
    const snapshot = worthSaying(seen())
    if (snapshot !== shown.snapshot || error !== shown.error) shown = show(snapshot)
    return shown
  }

  function open(): Operation<T> {
    return source.open().operation(name)
  }

  function known(): Operation<T> | undefined {
    return source.client?.operation(name)
  }

  function seen(): Snapshot<T> {
    const operation = known()
    if (!operation) return idle
    const snapshot = operation.getSnapshot()
    const desk = deskOf(operation)
    const id = idOf(snapshot)
    if (isUnread(snapshot)) old = undefined
    else old ??= snapshot.state === 'succeeded' && !snapshot.news && !desk.unseen ? id : ''
    return id === old || id === desk.forgotten ? fresh : snapshot
  }

  /** Leaves out what is seen for some milliseconds only, so that a screen reader says each state once. */
  function worthSaying(snapshot: Snapshot<T>): Snapshot<T> {
    const { state } = snapshot
    const before = shown.snapshot
    // The error of a turn that has ended with nothing is on its way; unless somebody else has signed in meanwhile.
    const endsWithError = state === 'idle' && turns > 0 && snapshot !== stayed
    if (endsWithError) {
      setTimeout(() => {
        stayed = snapshot
        self.changed()
      })
    }
    // The second half of a double click is going to get the success that is shown.
    const isSecondHalf =
      state === 'sending' && snapshot.attempts === 0 && before.state === 'succeeded'
    return endsWithError || isSecondHalf ? before : snapshot
  }

  function show(snapshot: Snapshot<T>): Result {
    const isRetry =
      snapshot.state === 'sending' && said.state === 'waiting' && SAID_ON.includes(said.reason)
    if (!isRetry) said = snapshot
    const isSubmitting = ['preparing', 'sending', 'waiting'].includes(snapshot.state)
    return {
      ...actions,
      snapshot,
      said,
      error,
      isSubmitting,
      submitProps: { 'aria-disabled': isSubmitting, 'aria-busy': isSubmitting },
    }
  }

  function keepDraftOf(form: HTMLFormElement | null): void {
    if (form === drafted) return
    draft?.stop()
    drafted = form
    if (form) draft = keepDraft(form, open(), () => mountedForm === form)
  }

  function read(form: FormData): Input {
    const { fromForm } = self.options
    check(fromForm, 'fromForm', fromForm, 'say how to read the form')
    return fromForm(form)
  }

  function turn(
    begin: (operation: Operation<T>) => Promise<Outcome<T>>,
  ): Promise<Outcome<T> | undefined> {
    met = true
    return attempt(async operation => {
      const desk = deskOf(operation)
      // Clicks on what is under way are part of it; a success is told once, however late it is asked for again.
      if (!desk.turns && !desk.told.startsWith('succeeded')) desk.told = ''
      desk.turns += 1
      turns += 1
      try {
        const outcome = await begin(operation)
        tell(outcome, desk)
        return outcome
      } finally {
        desk.turns -= 1
        turns -= 1
      }
    })
  }

  /** Runs up to the client's gate in the same task, and never rejects. */
  async function attempt<R>(work: (operation: Operation<T>) => Promise<R>): Promise<R | undefined> {
    fail(null)
    try {
      const result = await work(open())
      fail(null)
      return result
    } catch (cause) {
      fail(
        isSendonceError(cause)
          ? cause
          : new SendonceError('not-sent', `"${name}" was not sent: ${cause}`, { cause }),
      )
      return undefined
    }
  }

  function fail(failure: SendonceError | null): void {
    error = failure
    self.changed()
    if (failure) queueMicrotask(() => self.options.onError?.(failure))
  }

  function tell(outcome: Outcome<T>, desk: Desk): void {
    if (outcome.state === 'succeeded') draft?.forget()
    const id = idOf(outcome)
    desk.unseen = !desk.mounted.size
    // It may be the old one itself: somebody has sent the same again.
    old = ''
    if (desk.told === id) return
    desk.told = id
    const hearer = desk.mounted.has(self) ? self : ([...desk.mounted].at(-1) ?? self)
    // In a task of its own what a callback throws is reported, as with event listeners, and of no consequence.
    const call = () =>
      queueMicrotask(() => hearer.options[CALLBACKS[outcome.state]]?.(outcome as never))
    // One that leaves the page would be called again when somebody comes back.
    if (outcome.state === 'succeeded' && hearer.options.onSuccess) {
      Promise.race([open().acknowledge(), pausedOrLeft(NOTED_WITHIN_MS)]).then(call)
    } else call()
  }

  /** A turn of this page that no form has asked for, but a list or the app: its outcome is told to the form all the same. */
  function hear(snapshot: Snapshot<T>, desk: Desk): void {
    const { state } = snapshot
    const isFree = !desk.turns
    if (isFree && isElsewheres && state in CALLBACKS) tell(snapshot as Outcome<T>, desk)
    isElsewheres = isFree && 'here' in snapshot && snapshot.here
  }

  /** Sees to what is found at mount, in a page that somebody looks at: news, what goes on by itself, what is fetched. */
  function meet(operation: Operation<T>, desk: Desk): void {
    const snapshot = operation.getSnapshot()
    if (met || isUnread(snapshot)) return
    const isNews = snapshot.state === 'succeeded' && snapshot.news
    const goesOn = self.options.resume === 'auto' && needsNobody(snapshot)
    const fetches = self.options.prefetch && snapshot.state === 'idle'
    if ((isNews || goesOn || fetches) && !isVisible()) return
    met = true
    if (goesOn) actions.resume()
    // What cannot be had now is fetched with the submit, which says why if it cannot be had then.
    if (fetches) operation.prepare().catch(() => {})
    if (!isNews) return
    tell(snapshot, desk)
    operation.acknowledge()
  }
}

/** Nothing is known of it yet. */
function isUnread(snapshot: Snapshot<unknown>): boolean {
  return snapshot.state === 'idle' && !snapshot.read
}
