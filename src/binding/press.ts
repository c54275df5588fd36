import type { Content } from '../fields.ts'
import { contentOf, isSame } from '../fields.ts'
import { dataOf } from '../form-data.ts'

/** Of a double click that meets two operations of one form: as `joinMs` of the client, where it is not set. */
const JOIN_MS = 1_000

/** What a form has sent by a click or by Enter. */
interface Press {
  readonly operation: object | undefined
  readonly submitter: HTMLElement | null
  readonly content: Content
  readonly data: FormData
  /** By the page's own clock, in milliseconds. */
  succeededAt?: number
}

const lastOf = new WeakMap<HTMLFormElement, Press>()

/**
 * What a press sends, and whether another one has sent it, which is under way. Its fields may be disabled meanwhile, and
 * so in no form data: what still holds the same is sent as it was. Undefined: the form is another operation's since what
 * it holds has succeeded, a moment ago, and this is the second half of the double click.
 */
export function pressOf(
  form: HTMLFormElement,
  submitter: HTMLElement | null,
  operation: object | undefined,
  isUnderWay: boolean,
): { readonly press: Press; readonly isSecond: boolean } | undefined {
  const before = lastOf.get(form)
  const content = contentOf(form)
  const data = dataOf(form, submitter)
  const isAgain =
    before?.submitter === submitter &&
    isSame(before.content, content) &&
    // What a page has put there itself, such as in a hidden field, has to be the same too.
    [...data].every(([name, is]) => typeof is !== 'string' || before.data.getAll(name).includes(is))
  if (isAgain && before.operation === operation && isUnderWay) {
    return { press: before, isSecond: true }
  }
  const isDone = before?.succeededAt && performance.now() - before.succeededAt < JOIN_MS
  if (isAgain && before.operation !== operation && isDone) return undefined
  const press: Press = { operation, submitter, content, data }
  lastOf.set(form, press)
  return { press, isSecond: false }
}
