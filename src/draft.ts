import type { Field, Held, HeldByKey } from './fields.ts'
import {
  fieldsOf,
  heldBy,
  heldOf,
  isChanged,
  isTouched,
  isTyped,
  restorer,
  secret,
  withKeys,
} from './fields.ts'
import { isOf, propertyOf } from './form-property.ts'
import type { Idle, Outcome, Snapshot } from './lifecycle.ts'
import type { Operation } from './operation.ts'

/** Keeps what was typed into a form, from its submit until that has succeeded or was given up. */
export interface Draft {
  /** What is in the form survives a reload from now on: it was submitted for this outcome, and is not `sensitive`. */
  keep(outcome: Promise<Outcome<unknown>>): void
  /** The operation is given up. */
  forget(): void
  /** What is in the form is what was submitted before it came. */
  isBack(): boolean
  /** Something was typed that nobody has submitted: before what was kept was put back, or after it was kept. */
  isMixed(): boolean
  /** The form goes away; what was kept of it stays. */
  stop(): void
}

interface Stored {
  /** Of the record that it belongs to: another one is somebody else's, or of another day. */
  readonly startedAt: number
  readonly held: HeldByKey
  /** What the page itself had put there: of what was typed into, before that, if it is known. */
  readonly own: HeldByKey
  /** Something was typed since it was submitted. */
  readonly edited: boolean
}

/** What is in a form and kept, or to be kept. */
interface Kept extends Omit<Stored, 'startedAt' | 'own'> {
  /** Undefined until it is known which record the submit has made, or met: only then it is kept. */
  readonly startedAt?: number
  /** Of the submit. Undefined for what was put back, and others of the operation may hold too, until somebody types. */
  readonly session?: number
}

const PREFIX = 'sendonce:draft:'

/** Counts the sign-outs that this page has seen. */
let session = 0

/** What was in a field before somebody typed into it; undefined where nobody has seen that. */
const beforeTyping = new WeakMap<Field, Held | undefined>()

/** What is being put back, which is nobody's typing. Two drafts may hear of it while a form gets another operation. */
let restoring: HTMLFormElement | undefined

/**
 * Keeps what is typed into a form in this tab (`sessionStorage`), and puts it back after a reload as if it was typed
 * again. Only what was submitted is kept, so nothing that the operation's record would not hold; passwords, credit
 * cards and whatever is `autocomplete="off"`, a field or the whole form, never.
 *
 * @param isMounted Nothing is put back where it is not: perhaps the form goes away, or to another operation.
 */
export function keepDraft(
  form: HTMLFormElement,
  operation: Pick<Operation<unknown>, 'name' | 'getSnapshot' | 'subscribe'>,
  isMounted: () => boolean,
): Draft {
  const at = PREFIX + operation.name
  const ending = new AbortController()
  const { signal } = ending
  const listen = propertyOf(form, 'addEventListener')
  /** Undefined while nothing of this form was submitted. */
  let kept: Kept | undefined
  /** Submits of this form that are not over. */
  let turns = 0
  const initial = heldBy(form)
  /** Fields that a person has been at before anything was put back: they are left alone. */
  const touched = new Set<string>()
  for (const field of fieldsOf(form)) {
    if (isTouched(field)) touched.add(field.name)
    if (isTouched(field) || isChanged(field)) begin(field)
  }
  /** What is kept later is typed in this page, perhaps into another form: nothing to put back. */
  let before = stored()?.startedAt
  /** Puts back what is kept, also what comes later: until somebody does something. */
  let restore: (() => void) | undefined
  // A framework shows later what the fields that are back bring with them; and the options of a list may be on their way.
  const later = new MutationObserver(restoreAll)
  /** Nobody else has been signed in, as far as this form has seen. */
  let isSamePerson = true

  function stored(): Stored | null | undefined {
    return inTab<Stored | null>(tab => JSON.parse(tab.getItem(at) ?? 'null'))
  }

  /** Somebody types into it from now on. */
  function begin(field: Field, was?: Held): void {
    if (!beforeTyping.has(field)) beforeTyping.set(field, was)
  }

  function become(next: Kept | undefined): void {
    goOn()
    kept = next
    if (next?.startedAt === undefined || next.session !== session) return
    store(next.startedAt, next.held, next.edited)
  }

  function store(startedAt: number, held: HeldByKey, edited: boolean): void {
    const own = withKeys(form).map(([key, field]) => {
      // Not every change has an event: what is chosen by a key in a list has none (Chromium 156).
      const isOwn = !beforeTyping.has(field) && !isChanged(field)
      return [key, isOwn ? held[key] : beforeTyping.get(field)]
    })
    const draft: Stored = { startedAt, held, own: Object.fromEntries(own), edited }
    inTab(tab => tab.setItem(at, JSON.stringify(draft)))
  }

  /** Whoever does something to the form, such as to add a row or to reset it, goes on from there. */
  function goOn(): void {
    later.disconnect()
    restore = undefined
  }

  /** A click into a field is nobody's doing yet; one on a button may have added a row. */
  function pressed({ isTrusted, target }: Event): void {
    const field = (target as Element).closest<Field>('input, textarea, select, label')
    if (isTrusted && !(field && isTyped(field))) goOn()
  }

  function cleared(event: Event): void {
    goOn()
    // What was refused is over: whoever clears the form does not want it back. A listener of the page may still say no.
    setTimeout(() => {
      if (!event.defaultPrevented && operation.getSnapshot().state === 'refused') forget()
    })
  }

  function keep(outcome: Promise<Outcome<unknown>>): void {
    become({ held: heldBy(form), edited: false, session })
    turns += 1
    const ended = outcome.then(
      outcome => {
        if (outcome.state !== 'succeeded' && isRecorded(outcome)) belong(outcome.startedAt)
      },
      // Another body is in the way: it is that one's record that a person goes on with.
      () => {
        const snapshot = operation.getSnapshot()
        if (isRecorded(snapshot)) belong(snapshot.startedAt)
      },
    )
    ended.finally(() => {
      turns -= 1
      look()
      if (signal.aborted) unsubscribe()
    })
  }

  /** The record is known that this form's submit has made, or met. */
  function belong(startedAt: number): void {
    if (kept?.session !== undefined && kept.startedAt !== startedAt) become({ ...kept, startedAt })
  }

  function forget(): void {
    become(undefined)
    inTab(tab => tab.removeItem(at))
  }

  /** Nothing of this record is to be kept any more; another form may have kept what is of the next one. */
  function outlive(startedAt: number | undefined): void {
    become(undefined)
    if (stored()?.startedAt === startedAt) forget()
  }

  function typed({ target, currentTarget, isTrusted }: Event): void {
    const { name, type } = target as Field
    const isInside = propertyOf(form, 'contains')(target as Node)
    // What comes by the form and by its root is heard at the form.
    if (!isOf(form, target as Field) || isInside !== (currentTarget === form)) return
    begin(target as Field)
    if (restoring === form) return
    if (type === 'password') secret.add(name)
    // Perhaps somebody else has signed in since.
    look()
    if (!kept) {
      // A page may tell of a field that is as it was, such as to have its size adapted.
      if (name && (isTrusted || isChanged(target as Field))) touched.add(name)
      // A page may tell itself of a field that it has just made, and that is still to be put back.
    } else if (isTrusted || !restore) {
      // Fields that are disabled or out of sight while it is under way still hold what they held.
      become({ session, ...kept, held: heldBy(form, kept.held), edited: true })
    }
  }

  function look(): void {
    const snapshot = operation.getSnapshot()
    if (snapshot.state === 'idle') {
      if (!kept) return
      // Perhaps nobody knows yet who is signed in: the record may come again, and what was typed with it.
      before = kept.startedAt ?? before
      isSamePerson = false
      become(undefined)
      return
    }
    const { startedAt, state } = snapshot
    if (state === 'succeeded') outlive(startedAt)
    else if (!isRecorded(snapshot)) return
    else if (!kept) {
      const draft = startedAt === before ? stored() : undefined
      // While nobody knows, only the same can be sent again.
      const mayBeNewer = state === 'refused' || state === 'paused'
      if (draft?.startedAt === startedAt) putBack(draft, mayBeNewer)
    } else if (turns > 0) {
      if (state === 'preparing' || state === 'sending' || state === 'waiting') belong(startedAt)
    } else if (kept.startedAt !== startedAt) outlive(kept.startedAt)
  }

  function putBack(draft: Stored, mayBeNewer: boolean): void {
    const { held: left = {}, own: was = {}, startedAt, edited } = draft
    become({ startedAt, held: left, edited })
    const heldAt = (key: string) =>
      mayBeNewer && isOutdated(left[key], was[key], initial[key]) ? undefined : left[key]
    restore = restorer(form, heldAt, touched, later)
    later.observe(form, { childList: true, subtree: true, attributeFilter: ['disabled', 'name'] })
    restoreAll()
    for (const element of propertyOf(form, 'querySelectorAll')(':not(:defined)')) {
      const name = element.getAttribute('is') ?? element.localName
      customElements.whenDefined(name).then(restoreAll, () => {})
    }
    if (touched.size > 0 && isSamePerson) {
      store(startedAt, heldBy(form, left), true)
    }
  }

  function restoreAll(): void {
    // The form may be another operation's by now, or another account's.
    look()
    if (!restore || !isMounted()) return
    restoring = form
    try {
      restore()
    } finally {
      restoring = undefined
    }
  }

  // In the capture phase: a page may keep an event from whoever is around its field.
  const early = { signal, capture: true }
  listen('input', typed, early)
  listen('beforeinput', ({ target }) => begin(target as Field, heldOf(target as Field)), early)
  listen('reset', cleared, ending)
  listen('click', pressed, early)
  hearWeakly(propertyOf(form, 'getRootNode')(), typed, early)
  const shown = new MutationObserver(changes => {
    for (const { target, oldValue } of changes) {
      if (oldValue === 'password') secret.add((target as Field).name)
    }
  })
  shown.observe(form, { subtree: true, attributeFilter: ['type'], attributeOldValue: true })
  const unsubscribe = operation.subscribe(look)
  look()
  return {
    keep,
    forget,
    isBack: () => kept !== undefined && kept.session === undefined,
    isMixed: () => touched.size > 0 || kept?.edited === true,
    stop() {
      ending.abort()
      shown.disconnect()
      goOn()
      // A form may go with its submit, before that has a record.
      if (turns === 0) unsubscribe()
    },
  }
}

/** The page itself has put something there that it had not when this was typed, or was left as it was. */
function isOutdated(held: Held | undefined, was: Held | undefined, is: Held | undefined): boolean {
  if (is === undefined || was === undefined || String(is) === String(was)) return false
  return String(was) === '' || String(held) === String(was)
}

/** What has no record yet has no time of birth that another page could know. */
function isRecorded(snapshot: Snapshot<unknown>): snapshot is Exclude<Snapshot<unknown>, Idle> {
  return snapshot.state !== 'idle' && (snapshot.attempts > 0 || snapshot.durable)
}

/**
 * What is typed outside of a form, into a field of it by its `form` attribute, does not come by there. The page lasts, and
 * is not to hold on to a form that is gone.
 */
function hearWeakly(page: Node, typed: (event: Event) => void, options: { signal: AbortSignal }) {
  const heard = new WeakRef(typed)
  propertyOf(page, 'addEventListener')('input', event => heard.deref()?.(event), options)
}

/** Signing out: what was typed in this tab goes, and nothing of it is kept any more. */
export function forgetDrafts(): void {
  session += 1
  inTab(tab => {
    for (const name of Object.keys(tab)) if (name.startsWith(PREFIX)) tab.removeItem(name)
  })
}

/** Undefined where storage is denied or full: forms work without. */
function inTab<R>(work: (tab: Storage) => R): R | undefined {
  try {
    return work(sessionStorage)
  } catch {
    return undefined
  }
}
