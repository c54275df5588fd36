/** What a binding changes of elements that are the page's own, so that it can be put back. */
export interface Loan {
  /** Aborted by the end: for listeners. */
  readonly signal: AbortSignal
  /** Null takes the attribute away; undefined leaves it as the page has it. */
  set(element: Element, attribute: string, value: string | null | undefined): void
  /** Shows this in the place of what is in the element. */
  fill(element: Element, text: string): void
  end(): void
}

export function createLoan(): Loan {
  const ending = new AbortController()
  const attributes = new Map<Element, Map<string, string | null>>()
  const contents = new Map<Element, readonly Node[]>()

  return {
    signal: ending.signal,
    set(element, attribute, value) {
      const before = attributes.get(element) ?? new Map<string, string | null>()
      attributes.set(element, before)
      const own = before.get(attribute)
      if (value !== undefined) {
        if (own === undefined) before.set(attribute, element.getAttribute(attribute))
        write(element, attribute, value)
      } else if (own !== undefined) {
        before.delete(attribute)
        write(element, attribute, own)
      }
    },
    fill(element, text) {
      if (!contents.has(element)) contents.set(element, [...element.childNodes])
      element.textContent = text
    },
    end() {
      ending.abort()
      for (const [element, nodes] of contents) element.replaceChildren(...nodes)
      for (const [element, before] of attributes) {
        for (const [attribute, own] of before) write(element, attribute, own)
      }
    },
  }
}

function write(element: Element, attribute: string, value: string | null): void {
  if (value === null) element.removeAttribute(attribute)
  else element.setAttribute(attribute, value)
}
