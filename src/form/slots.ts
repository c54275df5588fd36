import { createCountdown } from '../countdown.ts'
import { hasFocus, isOf, propertyOf } from '../form-property.ts'
import type { Snapshot } from '../lifecycle.ts'
import type { Loan } from './loan.ts'

/** An element that the page has put there for this, in the form or of it by its `form` attribute. */
export function slotOf(form: HTMLFormElement, name: string): HTMLElement | undefined {
  const selector = `[data-sendonce-${name}]`
  const inside = propertyOf(form, 'querySelectorAll')<HTMLElement>(selector)
  return [...inside, ...propertyOf(form, 'elements')].find(
    (is): is is HTMLElement => is.matches(selector) && isOf(form, is),
  )
}

const visibilities = new WeakMap<HTMLElement, readonly [value: string, priority: string]>()

/** As the page has it: another binding may just have changed it. */
function visibilityOf(button: HTMLElement): readonly [value: string, priority: string] {
  const { style } = button
  const own =
    visibilities.get(button) ??
    ([style.visibility, style.getPropertyPriority('visibility')] as const)
  visibilities.set(button, own)
  return own
}

/** A button that is shown while it can do something. */
export function createButton(
  form: HTMLFormElement,
  name: string,
  press: () => unknown,
  loan: Loan,
): (isAble: boolean) => void {
  const button = slotOf(form, name) as HTMLButtonElement | undefined
  if (!button) return () => {}
  let can = false
  // One that submits, as without a type, may be the first of the form: the one that Enter in a field presses.
  loan.set(button, 'type', 'button')
  const { style } = button
  const [own, priority] = visibilityOf(button)
  // Out of sight, but nothing moves: the mouse may just be pressing what is below.
  const blur = () => {
    if (!can && !hasFocus(button)) style.setProperty('visibility', 'hidden', 'important')
  }
  const appear = () => {
    style.setProperty('visibility', own, priority)
    if (!button.getAttribute('style')) button.removeAttribute('style')
  }
  button.addEventListener('click', () => can && isOf(form, button) && press(), loan)
  button.addEventListener('blur', blur, loan)
  loan.signal.addEventListener('abort', appear)
  return isAble => {
    can = isAble
    // Hidden, it would lose the focus.
    const isShown = can || hasFocus(button)
    loan.set(button, 'hidden', isShown ? null : '')
    appear()
    loan.set(button, 'aria-disabled', isShown && !can ? 'true' : undefined)
  }
}

/** Seconds to the next attempt, for those who see them: read out, they would interrupt every second. */
export function countdownIn(
  form: HTMLFormElement,
  loan: Loan,
): (snapshot: Snapshot<unknown>) => void {
  const element = slotOf(form, 'countdown')
  if (!element) return () => {}
  loan.set(element, 'aria-hidden', 'true')
  let stop = () => {}
  loan.signal.addEventListener('abort', () => stop())
  return snapshot => {
    stop()
    const { look, subscribe } = createCountdown(snapshot)
    stop = subscribe(() => {
      const seconds = look()
      loan.set(element, 'hidden', seconds ? null : '')
      if (seconds) loan.fill(element, `${seconds} s`)
    })
  }
}
