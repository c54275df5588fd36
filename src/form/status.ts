import { propertyOf } from '../form-property.ts'
import type { Loan } from './loan.ts'

/** Where a form says what is known. */
export interface Status {
  /** A screen reader hears each sentence once until {@link begin}, however often it is shown again. */
  say(sentence: string): void
  /** Somebody has done something: what is said from now on is heard again. */
  begin(): void
}

/** The region that the page has, or one that is made. */
export function statusOf(
  form: HTMLFormElement,
  given: HTMLElement | undefined,
  loan: Loan,
): Status {
  const region = given ?? document.createElement('p')
  const role = loan.own(region, 'role') ?? 'status'
  loan.set(region, 'role', role)
  // What is within something busy (the form) is not read out, unless it says that it is not.
  loan.set(region, 'aria-busy', 'false')
  if (!given) {
    propertyOf(form, 'append')(region)
    loan.signal.addEventListener('abort', () => region.remove())
  }
  const live = loan.own(region, 'aria-live') ?? (role === 'alert' ? 'assertive' : 'polite')
  const heard = new Set<string>()
  let shown = ''
  return {
    say(sentence) {
      if (sentence === shown) return
      shown = sentence
      loan.set(region, 'aria-live', heard.has(sentence) ? 'off' : live)
      heard.add(sentence)
      loan.fill(region, sentence)
    },
    begin: () => heard.clear(),
  }
}
