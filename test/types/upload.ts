import type { Client, Outcome } from 'sendonce'

interface Photo {
  readonly url: string
}

/** A form with a file: the same bytes on every attempt. The captcha's answer may be another one on the second click. */
export function upload(api: Client, form: HTMLFormElement): Promise<Outcome<Photo>> {
  return api.submit<Photo>('profile-photo', {
    url: new URL('/api/photos', location.href),
    method: 'PUT',
    headers: { 'x-client': 'web' },
    searchParams: { size: 512, crop: true },
    form: new FormData(form),
    volatile: ['/captcha'],
  })
}

/** What is no form goes as it is; the answer is read as the app likes. */
export async function uploadFile(api: Client, file: File, signal: AbortSignal): Promise<boolean> {
  const outcome = await api.submit('document', {
    url: '/api/documents',
    body: file,
    signal,
    sensitive: true,
    parse: response => response.headers.get('etag'),
  })
  return outcome.state === 'succeeded' && outcome.data === '"1"'
}
