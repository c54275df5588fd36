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

interface Stored {
  /** Of the record that it belongs to: another one is somebody else's, or of another day. */
  readonly startedAt: number
  readonly entries: [name: string, value: unknown][]
}

/** What is in `form.elements`, as far as it is looked at; not all of them have all. */
type Field = HTMLInputElement & Partial<Pick<HTMLSelectElement, 'options'>>

const PREFIX = 'sendonce:draft:'

/**
 * By type: not typed, or not to be set by a page. By autofill name: secrets, and `off`, which is how a page says that
 * data is not to be remembered (https://html.spec.whatwg.org/#autofill).
 */
const NEVER = /\b(button|file|hidden|image|password|reset|submit|off|cc-|one-time-code)/

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
  /** What is kept is what this form holds. */
  let isOwn = false
  /** Fields, by name, that a person has been at: they are left alone. One of several boxes speaks for all of them. */
  const touched = new Set(
    fieldsOf(form)
      .filter(isTouched)
      .map(({ name }) => name),
  )
  /** What is begun from here on was typed in this page, perhaps into another form: nothing to put back. */
  const since = Date.now()

  function keep(): void {
    isOwn = true
    const snapshot = operation.getSnapshot()
    // A record has its time of birth when it is claimed; the change that shows it leads here again.
    if (snapshot.state === 'idle' || snapshot.attempts === 0) return
    const draft: Stored = { startedAt: snapshot.startedAt, entries: entriesOf(form) }
    inTab(tab => tab.setItem(at, JSON.stringify(draft)))
  }

  function forget(): void {
    isOwn = false
    inTab(tab => tab.removeItem(at))
  }

  function typed({ target }: Event): void {
    if (isOwn) keep()
    else touched.add((target as Field).name)
  }

  function look(): void {
    const snapshot = operation.getSnapshot()
    if (snapshot.state === 'idle') return
    if (snapshot.state === 'succeeded') forget()
    else if (isOwn) keep()
    else {
      const stored = inTab<Stored | null>(tab => JSON.parse(tab.getItem(at) ?? 'null'))
      if (stored?.startedAt !== snapshot.startedAt || stored.startedAt >= since) return
      isOwn = true
      restore(form, stored.entries, touched)
      keep()
    }
  }

  // What is typed outside of the form, into a field of it by its `form` attribute, does not come by here.
  const heard = [form, ...fieldsOf(form).filter(field => !form.contains(field))]
  for (const each of heard) each.addEventListener('input', typed)
  const unsubscribe = operation.subscribe(look)
  look()
  return {
    keep,
    forget,
    isMixed: () => touched.size > 0,
    stop() {
      for (const each of heard) each.removeEventListener('input', typed)
      unsubscribe()
    },
  }
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
  return [...(form.elements as Iterable<Element> as Iterable<Field>)]
}

function isKept(field: Field): boolean {
  const { name, type, autocomplete, form } = field
  // What is not submitted is not in what is kept, and would be put back as empty.
  const isSubmitted = name !== '' && !field.matches(':disabled')
  return isSubmitted && !NEVER.test(`${type} ${autocomplete || form?.autocomplete}`)
}

/**
 * Whether a person has changed it in this page, perhaps before there was a script. Its value says nothing of that: it
 * is not the default one either where a framework has set it, or where the browser has put it back after a reload.
 */
function isTouched(field: Field): boolean {
  const { activeElement } = field.getRootNode() as Document
  return (
    field.matches(':is(:user-valid, :user-invalid)') ||
    // Until it is left, text counts as not yet entered.
    (field === activeElement && field.value !== field.defaultValue)
  )
}

function isChoice(type: string): boolean {
  return type === 'checkbox' || type === 'radio'
}

/** Not those of the form data: a hidden field may have the name of a box beside it. */
function entriesOf(form: HTMLFormElement): Stored['entries'] {
  return fieldsOf(form)
    .filter(isKept)
    .flatMap(({ name, type, value, checked, options }): Stored['entries'] => {
      if (options) return [...options].filter(is => is.selected).map(is => [name, is.value])
      return isChoice(type) && !checked ? [] : [[name, value]]
    })
}

function restore(
  form: HTMLFormElement,
  entries: Stored['entries'],
  except: ReadonlySet<string>,
): void {
  for (const field of fieldsOf(form).filter(isKept)) {
    const { name, type, value, options } = field
    if (except.has(name)) continue
    const isIn = (value: string) => entries.some(each => each[0] === name && each[1] === value)
    if (isChoice(type)) {
      if (field.checked !== isIn(value)) field.click()
      continue
    }
    if (options) for (const option of options) option.selected = isIn(option.value)
    else {
      const index = entries.findIndex(each => each[0] === name)
      const [entry] = index < 0 ? [] : entries.splice(index, 1)
      if (!entry || entry[1] === value) continue
      // Not the field's own `value`, by which React would take it for a change of its own.
      Reflect.set(Object.getPrototypeOf(field), 'value', entry[1], field)
    }
    for (const event of ['input', 'change']) {
      field.dispatchEvent(new Event(event, { bubbles: true }))
    }
  }
}
