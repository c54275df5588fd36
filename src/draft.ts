import { propertyOf } from './form-property.ts'
import type { Operation } from './operation.ts'

/** Keeps what was typed into a form, from its submit until that has succeeded or was given up. */
export interface Draft {
  /** What is in the form survives a reload from now on: it was submitted, and is not `sensitive`. */
  keep(): void
  /** The operation is given up. */
  forget(): void
  /** Something was typed before what was kept was put back, and is in the form beside it. */
  isMixed(): boolean
  /** The form goes away; what was kept of it stays. */
  stop(): void
}

/** What a field holds: whether a box is ticked, what of a list is selected, else its text. */
type Held = boolean | readonly string[] | string

interface Stored {
  /** Of the record that it belongs to: another one is somebody else's, or of another day. */
  readonly startedAt: number
  /** By {@link withKeys}. */
  readonly held: Readonly<Record<string, Held>>
}

/** What is in `form.elements`, as far as it is looked at; not all of them have all. */
type Field = HTMLInputElement & Pick<HTMLSelectElement, 'options'>

const PREFIX = 'sendonce:draft:'

/**
 * By type: not typed, or not to be set by a page. By autofill name: secrets, and `off`, which is how a page says that
 * data is not to be remembered (https://html.spec.whatwg.org/#autofill).
 */
const NEVER = /\b(button|file|hidden|image|password|reset|submit|off|cc-|one-time-code)/

/** A page that makes a field anew each time, without what was put into it, has its way after so many times. */
const MAX_TURNS = 3

/**
 * Keeps what is typed into a form in this tab (`sessionStorage`), and puts it back after a reload as if it was typed
 * again. Only what was submitted is kept, so nothing that the operation's record would not hold; passwords, credit
 * cards and whatever is `autocomplete="off"`, a field or the whole form, never.
 */
export function keepDraft(
  form: HTMLFormElement,
  operation: Pick<Operation<unknown>, 'name' | 'getSnapshot' | 'subscribe'>,
): Draft {
  const at = PREFIX + operation.name
  /**
   * `own`: what is kept is what this form holds. `back`: this form holds what is kept, as others of the operation may too,
   * until somebody types.
   */
  let stage: 'new' | 'back' | 'own' = 'new'
  let isRestoring = false
  const ending = new AbortController()
  /** Fields, by name, that a person has been at: they are left alone. One of several boxes speaks for all of them. */
  const touched = new Set(
    fieldsOf(form)
      .filter(isTouched)
      .map(({ name }) => name),
  )
  /** What is kept later is typed in this page, perhaps into another form: nothing to put back. */
  const before = stored()?.startedAt
  /** For what is put back later. */
  let later: MutationObserver | undefined

  function stored(): Stored | null | undefined {
    return inTab<Stored | null>(tab => JSON.parse(tab.getItem(at) ?? 'null'))
  }

  function keep(): void {
    stage = 'own'
    later?.disconnect()
    save(heldBy(form))
  }

  function save(held: Stored['held']): void {
    const snapshot = operation.getSnapshot()
    // A record has its time of birth when it is claimed; the change that shows it leads here again.
    if (snapshot.state === 'idle' || snapshot.attempts === 0) return
    const draft: Stored = { startedAt: snapshot.startedAt, held }
    inTab(tab => tab.setItem(at, JSON.stringify(draft)))
  }

  function forget(): void {
    stage = 'new'
    later?.disconnect()
    inTab(tab => tab.removeItem(at))
  }

  function typed({ target, currentTarget }: Event): void {
    const { name, form: owner } = target as Field
    const isInside = propertyOf(form, 'contains')(target as Node)
    const isOwn = isInside ? currentTarget === form && (!owner || owner === form) : owner === form
    if (isRestoring || !isOwn) return
    if (stage !== 'new') keep()
    else if (name) touched.add(name)
  }

  function look(): void {
    const snapshot = operation.getSnapshot()
    if (snapshot.state === 'idle') return
    if (snapshot.state === 'succeeded') forget()
    else if (stage === 'own') keep()
    else if (stage === 'new' && snapshot.startedAt === before) {
      const draft = stored()
      if (draft?.startedAt === before) putBack(draft.held ?? {})
    }
  }

  function putBack(held: Stored['held']): void {
    stage = 'back'
    const turns = new Map<string, number>()
    const done = new Set<Field>()
    const restoreAll = () => {
      isRestoring = true
      try {
        restore(form, held, touched, turns, done)
      } finally {
        isRestoring = false
      }
    }
    // A framework shows later what the fields that are back bring with them; and the options of a list may be on their way.
    later = new MutationObserver(restoreAll)
    later.observe(form, { childList: true, subtree: true, attributeFilter: ['disabled', 'name'] })
    restoreAll()
    if (touched.size > 0) save({ ...held, ...heldBy(form) })
  }

  propertyOf(form, 'addEventListener')('input', typed, ending)
  hearWeakly(propertyOf(form, 'getRootNode')(), typed, ending)
  const unsubscribe = operation.subscribe(look)
  look()
  return {
    keep,
    forget,
    isMixed: () => touched.size > 0,
    stop() {
      ending.abort()
      later?.disconnect()
      unsubscribe()
    },
  }
}

/**
 * What is typed outside of a form, into a field of it by its `form` attribute, does not come by there. The page lasts, and
 * is not to hold on to a form that is gone.
 */
function hearWeakly(page: Node, typed: (event: Event) => void, options: { signal: AbortSignal }) {
  const heard = new WeakRef(typed)
  page.addEventListener('input', event => heard.deref()?.(event), options)
}

/** Signing out: what was typed in this tab goes. */
export function forgetDrafts(): void {
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

function fieldsOf(form: HTMLFormElement): Field[] {
  return [...(propertyOf(form, 'elements') as Iterable<Element> as Iterable<Field>)]
}

function isKept(field: Field): boolean {
  const { name, type, form } = field
  const autocomplete = field.autocomplete || (form && propertyOf(form, 'autocomplete'))
  // What is not submitted is not in what is kept, and would be put back as empty.
  const isSubmitted = name !== '' && !field.matches(':disabled')
  return isSubmitted && !NEVER.test(`${type} ${autocomplete}`)
}

/**
 * Whether a person has changed it in this page, perhaps before there was a script. Its value says nothing of that: it
 * is not the default one either where a framework has set it, or where the browser has put it back after a reload.
 */
function isTouched(field: Field): boolean {
  const { activeElement } = field.getRootNode() as Document
  if (!field.name) return false
  return (
    field.matches(':is(:user-valid, :user-invalid)') ||
    // Until it is left, text counts as not yet entered. A browser makes a value of its own for these two.
    (field === activeElement &&
      field.matches('textarea, input:not([type=range], [type=color])') &&
      field.value !== field.defaultValue)
  )
}

function isChoice({ type }: Field): boolean {
  return type === 'checkbox' || type === 'radio'
}

/** A custom element may have `options` of its own. */
function isList(field: Field): boolean {
  return field.matches('select')
}

/** What is kept, by name, and by value where that is fixed; of several the first, the second and so on. */
function withKeys(form: HTMLFormElement): readonly [key: string, field: Field][] {
  const counts = new Map<string, number>()
  return fieldsOf(form)
    .filter(isKept)
    .map(field => {
      const key = JSON.stringify([field.name, isChoice(field) ? field.value : null])
      const count = counts.get(key) ?? 0
      counts.set(key, count + 1)
      return [`${key}${count}`, field]
    })
}

/** Not the form data: a hidden field may have the name of a box beside it. */
function heldBy(form: HTMLFormElement): Stored['held'] {
  return Object.fromEntries(withKeys(form).map(([key, field]) => [key, heldIn(field)]))
}

function heldIn(field: Field): Held {
  if (isChoice(field)) return field.checked
  if (!isList(field)) return field.value
  return [...field.options].filter(is => is.selected).map(is => is.value)
}

/** One field after the other: what is put into one may show, enable or redraw the next. */
function restore(
  form: HTMLFormElement,
  held: Stored['held'],
  except: ReadonlySet<string>,
  turns: Map<string, number>,
  done: Set<Field>,
): void {
  // Nobody has pressed anything: a page that submits whatever changes is not to send what is half put back.
  const refuse = (event: Event) => {
    if (event.target !== form) return
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  const isDue = ([key, field]: readonly [string, Field]) =>
    !done.has(field) &&
    !except.has(field.name) &&
    canHold(field, held[key]) &&
    (turns.get(key) ?? 0) < MAX_TURNS
  const root = propertyOf(form, 'getRootNode')()
  root.addEventListener('submit', refuse, true)
  try {
    for (let due = withKeys(form).find(isDue); due; due = withKeys(form).find(isDue)) {
      const [key, field] = due
      done.add(field)
      turns.set(key, (turns.get(key) ?? 0) + 1)
      put(field, held[key] as Held)
    }
  } finally {
    root.removeEventListener('submit', refuse, true)
  }
}

/** The options of a list may come later, or be gone. */
function canHold(field: Field, value: Held | undefined): boolean {
  if (value === undefined || !isList(field)) return value !== undefined
  const known = [...field.options].map(option => option.value)
  return [value].flat().every(is => known.includes(is as string))
}

function put(field: Field, value: Held): void {
  if (JSON.stringify(heldIn(field)) === JSON.stringify(value)) return
  if (isChoice(field)) {
    field.click()
    return
  }
  if (isList(field)) {
    const selected = [value].flat()
    for (const option of field.options) option.selected = selected.includes(option.value)
    // Not the field's own `value`, by which React would take it for a change of its own.
  } else Reflect.set(Object.getPrototypeOf(field), 'value', value, field)
  for (const event of ['input', 'change']) {
    field.dispatchEvent(new Event(event, { bubbles: true }))
  }
}
