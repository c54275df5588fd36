import { propertyOf } from '../form-property.ts'

/** What a binding changes of elements that are the page's own, so that it can be put back. */
export interface Loan {
  /** Aborted by the end: for listeners. */
  readonly signal: AbortSignal
  /** What the page itself has there. */
  own(element: Element, attribute: string): string | null
  /** Null takes the attribute away; undefined leaves it as the page has it. */
  set(element: Element, attribute: string, value: string | null | undefined): void
  /** Shows this in the place of what is in the element. */
  fill(element: Element, text: string): void
  end(): void
}

/** Of an attribute, or of {@link CONTENT}. */
type Value = string | null | readonly (Node | string)[]

/** In the place of an attribute's name. */
const CONTENT = ''

const PAGE = Symbol('page')

/** Who wants what there: the page first, whoever was last is shown. Two forms may have one status region. */
type Layers = Map<symbol, Value>

const layersBy = new WeakMap<Element, Map<string, Layers>>()

export function createLoan(): Loan {
  const ending = new AbortController()
  // Not the loan, through which an element that stays would hold on to a form that is gone.
  const self = Symbol('loan')
  const lent = new Set<Element>()

  return {
    signal: ending.signal,
    own(element, attribute) {
      const layers = layersBy.get(element)?.get(attribute)
      return (layers ? layers.get(PAGE) : read(element, attribute)) as string | null
    },
    set: lend,
    fill: (element, text) => lend(element, CONTENT, [text]),
    end() {
      ending.abort()
      for (const element of lent) {
        for (const place of layersBy.get(element)?.keys() ?? []) lend(element, place, undefined)
      }
    },
  }

  function lend(element: Element, place: string, value: Value | undefined): void {
    const places = layersBy.get(element) ?? new Map<string, Layers>()
    const layers: Layers = places.get(place) ?? new Map([[PAGE, read(element, place)]])
    const before = shownOf(layers)
    if (!layers.delete(self) && value === undefined) return
    if (value !== undefined) {
      layers.set(self, value)
      places.set(place, layers)
      layersBy.set(element, places)
      lent.add(element)
    } else if (layers.size === 1) places.delete(place)
    const after = shownOf(layers)
    // A text that is put there anew is read out anew.
    if (place !== CONTENT || !isSameText(after, before)) write(element, place, after)
  }
}

function shownOf(layers: Layers): Value {
  return [...layers.values()].at(-1) as Value
}

/** Of the page's own nodes the same array. */
function isSameText(one: Value, other: Value): boolean {
  return one === other || (typeof one?.[0] === 'string' && one[0] === other?.[0])
}

function read(element: Element, place: string): Value {
  return place === CONTENT ? [...element.childNodes] : propertyOf(element, 'getAttribute')(place)
}

function write(element: Element, place: string, value: Value): void {
  if (value === null) propertyOf(element, 'removeAttribute')(place)
  else if (typeof value === 'string') propertyOf(element, 'setAttribute')(place, value)
  else element.replaceChildren(...(value as (Node | string)[]))
}
