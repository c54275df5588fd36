import { hasFocus, propertyOf } from './form-property.ts'
import { reporting } from './report.ts'

/** What is in `form.elements`, as far as it is looked at; not all of them have all. */
export type Field = HTMLInputElement & Pick<HTMLSelectElement, 'options'>

/** What a field holds: whether a box is ticked, what of a list is selected, else its text. */
export type Held = boolean | readonly string[] | string

/** By name, and by value where that is fixed; of several the first, the second and so on. */
export type HeldByKey = Readonly<Record<string, Held>>

/** Names of fields. One of several boxes speaks for all of them. */
export type Names = ReadonlySet<string>

/**
 * By type: not typed, or not to be set by a page. By autofill name: secrets, and `off`, which is how a page says that
 * data is not to be remembered (https://html.spec.whatwg.org/#autofill).
 */
const NEVER =
  /(^|\s)(button|file|hidden|image|output|reset|submit|off|cc-\S+|one-time-code|(\S+-)?password)(?!\S)/i

/** A page that makes a field anew each time, without what was put into it, has its way after so many times. */
const MAX_TURNS = 3

/** Names of fields that were a password once in this page: they may be shown now, or be in another form. */
export const secret: Set<string> = new Set()

export function fieldsOf(form: HTMLFormElement): Field[] {
  return [...(propertyOf(form, 'elements') as Iterable<Element> as Iterable<Field>)]
}

/**
 * What is typed in, and what was where there is no such field now. Not the form data: a hidden field may have the name of
 * a box beside it.
 */
export function heldBy(form: HTMLFormElement, before: HeldByKey = {}): HeldByKey {
  const held: Record<string, Held> = { ...before }
  for (const [key, field] of withKeys(form)) {
    const value = heldOf(field)
    if (value !== undefined) held[key] = value
  }
  return held
}

/** A custom element is the page's own: it may throw, or hold anything, such as a file. */
export function heldOf(field: Field): Held | undefined {
  return reporting(() => {
    const value = heldIn(field)
    return isHeld(value) ? value : undefined
  })
}

/** Of a form, what its page may change as it likes. */
const NOT_TYPED = /^(button|fieldset|hidden|image|output|reset|submit)$/

/** What is in the fields of a form, one after the other. */
export type Content = readonly unknown[]

/** A person may change it. */
export function isTyped({ type }: Field): boolean {
  return !NOT_TYPED.test(type)
}

/** All that a person may change, or what is looked at instead, in fields without a name too. */
export function contentOf(
  form: HTMLFormElement,
  which: (field: Field) => boolean = isTyped,
): Content {
  return fieldsOf(form)
    .filter(which)
    .flatMap(
      field => reporting(() => [JSON.stringify(heldIn(field)), ...(field.files ?? [])]) ?? [],
    )
}

export function isSame(one: Content, other: Content): boolean {
  return one.length === other.length && one.every((is, at) => is === other[at])
}

/**
 * Whether a person has changed it in this page, perhaps before there was a script. Its value says nothing of that: it
 * is not the default one either where a framework has set it, or where the browser has put it back after a reload.
 */
export function isTouched(field: Field): boolean {
  if (!field.name) return false
  return (
    field.matches(':is(:user-valid, :user-invalid)') ||
    // Until it is left, text counts as not yet entered. A browser makes a value of its own for these two.
    (hasFocus(field) &&
      field.matches('textarea, input:not([type=range], [type=color])') &&
      field.value !== field.defaultValue)
  )
}

/**
 * Returns what puts back what was held, one field after the other: what is put into one may show, enable or redraw the
 * next. To be called again for what comes later. `observer`: of what gives the form other fields.
 */
export function restorer(
  form: HTMLFormElement,
  heldAt: (key: string) => Held | undefined,
  except: Names,
  observer: MutationObserver,
): () => void {
  const turns = new Map<string, number>()
  const done = new Set<Field>()
  // Nobody has pressed anything: a page that submits whatever changes is not to send what is half put back.
  const refuse = (event: Event) => {
    if (event.target !== form) return
    event.preventDefault()
    event.stopImmediatePropagation()
  }

  return function restore() {
    const root = propertyOf(form, 'getRootNode')()
    propertyOf(root, 'addEventListener')('submit', refuse, true)
    try {
      let queue = withKeys(form)
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [key, field] = next
        const value = heldAt(key)
        const turn = turns.get(key) ?? 0
        if (except.has(field.name) || done.has(field) || turn === MAX_TURNS || value === undefined)
          continue
        // One field of the page's own that throws keeps none of the others.
        reporting(() => {
          if (!canHold(field, value)) return
          done.add(field)
          turns.set(key, turn + 1)
          put(field, value)
        })
        if (observer.takeRecords().length > 0) queue = withKeys(form)
      }
    } finally {
      propertyOf(root, 'removeEventListener')('submit', refuse, true)
    }
  }
}

/** What is kept of a form, with the keys that it is kept by: nothing that was a password, as far as that was seen. */
export function withKeys(form: HTMLFormElement): [key: string, field: Field][] {
  const remembered = propertyOf(form, 'getAttribute')('autocomplete')
  const counts = new Map<string, number>()
  const fields = fieldsOf(form)
  for (const { type, name } of fields) if (type === 'password') secret.add(name)
  return fields
    .filter(field => {
      const { name, type } = field
      // What is not submitted is not in what is kept, and would be put back as empty.
      const isSubmitted = name !== '' && !field.matches(':disabled')
      const autofill = field.getAttribute('autocomplete') || remembered
      return isSubmitted && !secret.has(name) && !NEVER.test(`${type} ${autofill}`)
    })
    .map(field => {
      const key = JSON.stringify([field.name, isChoice(field) ? field.value : null])
      const count = counts.get(key) ?? 0
      counts.set(key, count + 1)
      return [`${key}${count}`, field]
    })
}

function isChoice({ type, localName, checked }: Field): boolean {
  if (type === 'checkbox' || type === 'radio') return true
  // A custom element may be a box without saying so.
  return localName.includes('-') && typeof checked === 'boolean'
}

/** A custom element may have `options` of its own. */
function isList(field: Field): boolean {
  return field.matches('select')
}

/** It is not as the page has made it. */
export function isChanged(field: Field): boolean {
  if (!isTyped(field)) return false
  if (isChoice(field)) return field.checked !== field.defaultChecked
  if (!isList(field)) return field.value !== field.defaultValue
  return [...field.options].some(is => is.selected !== is.defaultSelected)
}

function isHeld(value: unknown): value is Held {
  return ['boolean', 'string'].includes(typeof value) || Array.isArray(value)
}

function heldIn(field: Field): Held {
  if (isChoice(field)) return field.checked
  if (!isList(field)) return field.value
  return [...field.options].filter(is => is.selected).map(is => is.value)
}

/** The options of a list may come later, or be gone. What a page has put where nobody can type is not an old one. */
function canHold(field: Field, value: Held): boolean {
  if (field.readOnly && field.value) return false
  if (!isList(field)) return true
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
