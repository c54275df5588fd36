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
