import type { Content } from '../fields.ts'
import { contentOf, fieldsOf, isChanged, isSame, isTyped } from '../fields.ts'
import { dataOf } from '../form-data.ts'

/** Between the presses of a double click that meets two operations of one form: as the client's own `joinMs` by default. */
const JOIN_MS = 1_000

/** What a form has sent by a click or by Enter. */
interface Press {
  readonly operation: object | undefined
  readonly content: Content
  readonly data: FormData
  /** By the page's own clock, in milliseconds. */
  readonly pressedAt: number
  /** It was pressed again while it is under way. */
  isAgain?: boolean
  hasSucceeded?: boolean
}

const lastOf = new WeakMap<HTMLFormElement, Press>()

/**
 * What a press sends: of another one that is under way the same, for its fields may be disabled meanwhile, and so in no
 * form data. Undefined: what it holds has succeeded, the form is another operation's since, and this is the second half
 * of a double click.
 */
export function pressOf(
  form: HTMLFormElement,
  submitter: HTMLElement | null,
  operation: object | undefined,
  isUnderWay: boolean,
): Press | undefined {
  const before = lastOf.get(form)
  const content = contentOf(form, is => is.type === 'hidden' || isTyped(is))
  const data = dataOf(form, submitter)
  const pressedAt = performance.now()
  if (before && isSame(before.content, content) && isRepeated(form, before.data, data)) {
    const isOurs = before.operation === operation
    if (isOurs && isUnderWay) return Object.assign(before, { isAgain: true })
    // Without anything typed it may be a button that is meant to be pressed for one thing after the other.
    const isDone = before.hasSucceeded && fieldsOf(form).some(isChanged)
    if (!isOurs && isDone && pressedAt - before.pressedAt < JOIN_MS) return undefined
  }
  const press: Press = { operation, content, data, pressedAt }
  lastOf.set(form, press)
  return press
}

/** The same entries, but for those of fields that are disabled now. */
function isRepeated(form: HTMLFormElement, before: FormData, now: FormData): boolean {
  const names = (selector: string) =>
    new Set(
      fieldsOf(form)
        .filter(is => is.matches(selector))
        .map(is => is.name),
    )
  const disabled = names(':disabled')
  // The same files are in the field: that is compared with the rest of what it holds.
  const files = names('input[type=file i]')
  const left = [...now]
  for (const [name, was] of before) {
    const [next, is] = left[0] ?? []
    const isThere = next === name && (is === was || (typeof is === 'object' && files.has(name)))
    if (isThere) left.shift()
    else if (!disabled.has(name)) return false
  }
  return !left.length
}
