import type { Tab } from './driver.ts'

/** Where a user would click for an element, in CSS pixels; throws where a user could not. */
export async function aimAt(tab: Tab, selector: string): Promise<{ x: number; y: number }> {
  await tab.evaluate(requireVisible)
  return tab.evaluate(middleOf, selector)
}

/** Runs in the page. Browsers hold input for a hidden tab back, Chromium for ever. */
export function requireVisible(): void {
  if (document.visibilityState === 'hidden')
    throw new Error('A hidden tab gets no input: bring it to the front with show().')
}

/** Runs in the page. */
function middleOf(selector: string): { x: number; y: number } {
  const element = document.querySelector(selector)
  if (!element) throw new Error(`Nothing on the page matches ${selector}.`)
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  const box = element.getBoundingClientRect()
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  const hit = document.elementFromPoint(middle.x, middle.y)
  if (!element.contains(hit))
    throw new Error(
      `${selector} is covered by ${hit?.outerHTML.slice(0, 80) ?? 'nothing: it has no box'}.`,
    )
  return middle
}
