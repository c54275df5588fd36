import type { Snapshot } from '../lifecycle.ts'
import { remainingMs } from '../remaining.ts'

/** An element that the page has put there for this, in the form or of it by its `form` attribute. */
export function slotOf(form: HTMLFormElement, name: string): HTMLElement | undefined {
  const selector = `[data-sendonce-${name}]`
  const found = form.querySelector(selector) ?? [...form.elements].find(is => is.matches(selector))
  return found as HTMLElement | undefined
}

/** A button that is shown while it can do something. */
export function createButton(
  form: HTMLFormElement,
  name: string,
  press: () => void,
  listening: AbortController,
): (isAble: boolean) => void {
  const button = slotOf(form, name) as HTMLButtonElement | undefined
  if (!button) return () => {}
  let can = false
  // Not `:focus`, which is nothing in a page that lies behind another one.
  const hasFocus = () => (button.getRootNode() as Document).activeElement === button
  // One that submits, as without a type, may be the first of the form: the one that Enter in a field presses.
  const { type } = button
  button.type = 'button'
  // Out of sight, but nothing moves: the mouse may just be pressing what is below.
  const blur = () => {
    if (!can && !hasFocus()) button.style.visibility = 'hidden'
  }
  listening.signal.addEventListener('abort', () => {
    button.type = type
  })
  button.addEventListener('click', () => can && press(), listening)
  button.addEventListener('blur', blur, listening)
  return isAble => {
    can = isAble
    // Hidden, it would lose the focus.
    button.hidden = !can && !hasFocus()
    button.style.visibility = ''
    mark(button, 'aria-disabled', !can && !button.hidden)
  }
}

const SECOND_MS = 1_000

/** Seconds to the next attempt, for those who see them: read out, they would interrupt every second. */
export function createCountdown(
  form: HTMLFormElement,
): (snapshot: Snapshot<unknown> | undefined) => void {
  const element = slotOf(form, 'countdown')
  if (!element) return () => {}
  element.setAttribute('aria-hidden', 'true')
  let timer: ReturnType<typeof setTimeout> | undefined
  return function show(snapshot) {
    clearTimeout(timer)
    const leftMs = snapshot && remainingMs(snapshot)
    element.hidden = !leftMs
    if (!leftMs) return
    element.textContent = `${Math.ceil(leftMs / SECOND_MS)} s`
    timer = setTimeout(show, leftMs % SECOND_MS || SECOND_MS, snapshot)
  }
}

/** Says it only where it is so. */
export function mark(element: Element, attribute: string, isSo: boolean): void {
  if (isSo) element.setAttribute(attribute, 'true')
  else element.removeAttribute(attribute)
}
