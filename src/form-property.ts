/**
 * A property of a form that a field of the same name stands in the place of, as `form.elements` is the field that is
 * called `elements` (https://html.spec.whatwg.org/#the-form-element, `LegacyOverrideBuiltIns`).
 */
export function propertyOf<Key extends keyof HTMLFormElement>(
  form: Element,
  key: Key,
): HTMLFormElement[Key] {
  const value = Reflect.get(HTMLFormElement.prototype, key, form)
  return typeof value === 'function' ? value.bind(form) : value
}
