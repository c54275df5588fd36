import { propertyOf } from './form-property.ts'

/** It does nothing but close a dialog. */
export function isForDialog(form: HTMLFormElement, submitter: HTMLElement | null): boolean {
  const method = (submitter as HTMLButtonElement | null)?.formMethod || propertyOf(form, 'method')
  return method === 'dialog'
}

/** What a form has in it, with the button that has sent it, whatever a page has made of that since. */
export function dataOf(form: HTMLFormElement, submitter: HTMLElement | null): FormData {
  const { name, value, type } = (submitter ?? {}) as Partial<HTMLInputElement>
  const data = new FormData(form)
  // Where in a picture it was clicked is not what was ordered: the second click of two would be something else.
  if (name && type !== 'image') data.append(name, value ?? '')
  return data
}
