/**
 * A property of a node. A field of a form stands in the place of whatever it is called like: `form.elements` is the field
 * named `elements` (https://html.spec.whatwg.org/#the-form-element, `LegacyOverrideBuiltIns`).
 */
export function propertyOf<Key extends keyof HTMLFormElement>(
  node: Node,
  key: Key,
): HTMLFormElement[Key] {
  const holder = node instanceof HTMLFormElement ? HTMLFormElement.prototype : node
  const value = Reflect.get(holder, key, node)
  return typeof value === 'function' ? value.bind(node) : value
}

/** Not `:focus`, which is nothing in a page that lies behind another one. */
export function hasFocus(element: Element): boolean {
  return (element.getRootNode() as Document).activeElement === element
}

/** What lies in the form may be of another one by its `form` attribute, and what lies outside may outlast it. */
export function isOf(form: HTMLFormElement, element: Element): boolean {
  const { form: owner } = element as Partial<HTMLInputElement>
  return owner ? owner === form : propertyOf(form, 'contains')(element)
}
