import { propertyOf } from '../form-property.ts'
import type { SubmitRequest } from '../request.ts'

/** What the browser would send by itself. */
export function requestOf<T>(
  form: HTMLFormElement,
  submitter: HTMLElement | null,
  data: FormData,
): SubmitRequest<T> {
  const says = (name: string) =>
    submitter?.getAttribute(`form${name}`) || propertyOf(form, 'getAttribute')(name) || ''
  const action = says('action')
  const page = propertyOf(form, 'ownerDocument')
  const request = {
    url: action ? new URL(action, page.baseURI) : page.URL,
    // A form that says nothing gets; the client refuses that and says what to use.
    method: (says('method') || 'get').toUpperCase() as 'POST',
  }
  return /^multipart\/form-data$/i.test(says('enctype'))
    ? { ...request, form: data }
    : { ...request, body: textOf(data) }
}

/** As application/x-www-form-urlencoded: of a file only its name, and lines end as in browsers. */
function textOf(data: FormData): URLSearchParams {
  return new URLSearchParams(
    [...data].map(([name, is]) =>
      [name, typeof is === 'string' ? is : is.name].map(text =>
        // https://html.spec.whatwg.org/#convert-to-a-list-of-name-value-pairs
        text.replace(/\r\n?|\n/g, '\r\n'),
      ),
    ),
  )
}
