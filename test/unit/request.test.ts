import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SubmitRequest } from '../../src/request.ts'
import { freezeRequest } from '../../src/request.ts'
import { quickly } from '../../src/sha256.ts'

const subtle = (bytes: Uint8Array<ArrayBuffer>) => crypto.subtle.digest('SHA-256', bytes)
const freeze = (request: SubmitRequest) => freezeRequest(request, subtle).ready
const fingerprint = async (request: SubmitRequest) => (await freeze(request)).fingerprint
const contentType = async (request: SubmitRequest) =>
  (await freeze(request)).headers['content-type']
const formOf = (entries: Record<string, string>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(entries)) form.append(name, value)
  return form
}
const invalid = expect.objectContaining({ name: 'SendonceError', code: 'invalid-argument' })

describe('a frozen request', () => {
  it('has its method, address, headers and bytes', async () => {
    const { method, url, ready } = freezeRequest(
      { url: 'orders', method: 'PUT', headers: { 'X-Trace': ' a ' }, json: { b: 1 } },
      subtle,
    )
    const { headers, bytes } = await ready
    expect([method, url]).toEqual(['PUT', 'orders'])
    expect(headers).toEqual({ 'x-trace': 'a', 'content-type': 'application/json' })
    expect(new TextDecoder().decode(bytes)).toBe('{"b":1}')
  })

  it('is a POST without a body by default', async () => {
    const { method, ready } = freezeRequest({ url: 'orders' }, subtle)
    expect(method).toBe('POST')
    expect(await ready).toMatchObject({ headers: {}, bytes: undefined })
  })

  it('is not changed by what the caller changes later', async () => {
    const headers: Record<string, string> = { a: '1' }
    const json = { amount: 1 }
    const request: { url: string; headers: typeof headers; json: typeof json } = {
      url: 'x',
      headers,
      json,
    }
    const result = freezeRequest(request, subtle)
    headers.a = '2'
    json.amount = 2
    request.url = 'y'
    const { headers: frozen, bytes } = await result.ready
    expect([result.url, frozen.a, new TextDecoder().decode(bytes)]).toEqual([
      'x',
      '1',
      '{"amount":1}',
    ])
  })
})

describe('the address', () => {
  it.each([
    ['orders', 'orders'],
    ['/orders', '/orders'],
    ['../orders', '../orders'],
    ['?a=1', '?a=1'],
    ['https://shop.example/orders', 'https://shop.example/orders'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/'],
    ['//shop.example/orders', '//shop.example/orders'],
    ['orders#top', 'orders'],
    [new URL('https://shop.example/a?b#c'), 'https://shop.example/a?b'],
  ])('%s is sent as %s', (url, sent) => {
    expect(freezeRequest({ url }, subtle).url).toBe(sent)
  })

  it.each([
    ['orders', { a: 1, b: true, c: 'x y' }, 'orders?a=1&b=true&c=x+y'],
    ['orders?a=1', { a: 2 }, 'orders?a=1&a=2'],
    ['orders#top', { a: 2 }, 'orders?a=2'],
    ['orders', {}, 'orders'],
    ['orders', new URLSearchParams('a=1&a=2'), 'orders?a=1&a=2'],
  ])('%s takes %o along as %s', (url, searchParams, sent) => {
    expect(freezeRequest({ url, searchParams }, subtle).url).toBe(sent)
  })

  it.each([
    '',
    '#top',
    'http://',
    'http://[',
    'ftp://shop.example/',
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/plain,x',
    'blob:https://shop.example/1',
    'localhost:3000/orders',
    'https://user:secret@shop.example/',
    'https://user@shop.example/',
  ])('is refused when it is "%s"', url => {
    expect(() => freezeRequest({ url }, subtle)).toThrow(invalid)
  })

  it('is refused when it is not there', () => {
    expect(() => freezeRequest({} as SubmitRequest, subtle)).toThrow(invalid)
  })

  it('has its password left out of the message', () => {
    expect(() => freezeRequest({ url: 'https://user:secret@shop.example/' }, subtle)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('secret') }),
    )
  })
})

describe('the headers', () => {
  it.each([
    ['Authorization', { Authorization: 'Bearer secret' }],
    ['cookie', { cookie: 'a=1' }],
    ['Proxy-Authorization', { 'Proxy-Authorization': 'x' }],
  ])('are refused with %s, which belongs in a ky hook', (_name, headers) => {
    expect(() => freezeRequest({ url: 'x', headers }, subtle)).toThrow(invalid)
    expect(() => freezeRequest({ url: 'x', headers }, subtle)).toThrow('ky hook')
    expect(() => freezeRequest({ url: 'x', headers }, subtle)).not.toThrow('secret')
  })

  it.each([
    ['a blank in a name', { 'x y': '1' }],
    ['no name', { '': '1' }],
    ['a newline in a value', { x: 'a\nb' }],
    ['a value that is not Latin-1', { x: 'ключ' }],
  ])('are refused with %s', (_what, headers) => {
    expect(() => freezeRequest({ url: 'x', headers }, subtle)).toThrow(invalid)
  })
})

describe('the content type', () => {
  const url = 'x'
  it.each([
    ['json', { url, json: 1 }, 'application/json'],
    ['a text', { url, body: 'a' }, 'text/plain;charset=UTF-8'],
    ['a Blob', { url, body: new Blob(['a'], { type: 'a/b' }) }, 'a/b'],
    ['a Blob without a type', { url, body: new Blob(['a']) }, undefined],
    ['bytes', { url, body: new Uint8Array(1) }, undefined],
    ['nothing', { url }, undefined],
  ] as [string, SubmitRequest, string | undefined][])(
    'of %s is its own',
    async (_what, request, type) => {
      expect(await contentType(request)).toBe(type)
    },
  )

  it('is the caller’s where one is given', async () => {
    const headers = { 'Content-Type': 'application/merge-patch+json' }
    expect(await contentType({ url, json: {}, headers })).toBe('application/merge-patch+json')
  })

  it('of a form names a boundary made of the fingerprint', async () => {
    const { headers, bytes, fingerprint } = await freeze({ url, form: formOf({ a: '1' }) })
    const boundary = `sendonce-${fingerprint.slice(0, 32)}`
    expect(headers['content-type']).toBe(`multipart/form-data; boundary=${boundary}`)
    expect(boundary.length).toBeLessThanOrEqual(70)
    expect(new TextDecoder().decode(bytes)).toContain(`--${boundary}--`)
    const got = await new Response(bytes ?? null, { headers }).formData()
    expect(got.get('a')).toBe('1')
  })

  it('of a form cannot be given, the boundary would be missing', () => {
    const headers = { 'content-type': 'multipart/form-data' }
    expect(() => freezeRequest({ url, form: new FormData(), headers }, subtle)).toThrow(invalid)
  })
})

describe('what cannot be meant', () => {
  it.each([
    ['GET, which needs no key', { url: 'x', method: 'GET' }],
    ['a method in lower case', { url: 'x', method: 'patch' }],
    ['json and form', { url: 'x', json: 1, form: new FormData() }],
    ['json and body', { url: 'x', json: 1, body: 'a' }],
    ['form and body', { url: 'x', form: new FormData(), body: 'a' }],
    ['a volatile pointer without a slash', { url: 'x', json: {}, volatile: ['sentAt'] }],
    ['the whole document as volatile', { url: 'x', json: {}, volatile: [''] }],
    ['volatile fields of bytes', { url: 'x', body: 'a', volatile: ['/sentAt'] }],
  ])('is refused at once: %s', (_what, request) => {
    expect(() => freezeRequest(request as unknown as SubmitRequest, subtle)).toThrow(invalid)
  })

  it('is not: one content and others that are undefined', async () => {
    const request = { url: 'x', json: undefined, form: undefined, body: 'a' }
    expect(await contentType(request as unknown as SubmitRequest)).toBe('text/plain;charset=UTF-8')
  })

  it.each([[undefined], [1n], [() => 1]])('is refused at once: %s as json', json => {
    expect(() => freezeRequest({ url: 'x', json }, subtle)).toThrow(
      expect.objectContaining({ code: 'body' }),
    )
  })
})

describe('the fingerprint', () => {
  const base: SubmitRequest = {
    url: 'https://shop.example/orders',
    headers: { a: '1' },
    json: { b: 1 },
  }

  it('is 64 hex digits, and stays what it is from version to version', async () => {
    expect(await fingerprint(base)).toBe(
      '957f4d66bbaee98dcb351be42a3c8a97bb435e53fcf5df72d60e7dd2484ab4fe',
    )
  })

  it('is the same with and without crypto.subtle', async () => {
    const requests: SubmitRequest[] = [base, { url: 'x' }, { url: 'x', form: formOf({ a: 'ü' }) }]
    for (const request of requests) {
      expect(await freezeRequest(request, quickly({ subtle: undefined })).ready).toEqual(
        await freeze(request),
      )
    }
  })

  it.each([
    [
      'keys in another order',
      { ...base, json: { c: [{ e: 1, d: 2 }], b: 1 } },
      { ...base, json: { b: 1, c: [{ d: 2, e: 1 }] } },
    ],
    [
      'headers in another order and case',
      { ...base, headers: { B: '2', a: '1' } },
      { ...base, headers: { A: '1', b: '2' } },
    ],
    [
      'an address written otherwise',
      base,
      { ...base, url: new URL('HTTPS://SHOP.example:443/orders#x') },
    ],
    [
      'volatile fields',
      { ...base, json: { t: 1 }, volatile: ['/t'] },
      { ...base, json: { t: 2 }, volatile: ['/t'] },
    ],
    [
      'a form filled in again',
      { url: 'x', form: formOf({ a: '1' }) },
      { url: 'x', form: formOf({ a: '1' }) },
    ],
  ] as [string, SubmitRequest, SubmitRequest][])(
    'is the same for %s',
    async (_what, one, other) => {
      expect(await fingerprint(one)).toBe(await fingerprint(other))
    },
  )

  it.each([
    ['method', base, { ...base, method: 'PUT' }],
    ['path', base, { ...base, url: 'https://shop.example/order' }],
    ['query', base, { ...base, searchParams: { a: 1 } }],
    ['origin', base, { ...base, url: 'https://pay.example/orders' }],
    ['relative path', { url: 'orders' }, { url: '/orders' }],
    ['header', base, { ...base, headers: { a: '2' } }],
    [
      'place where a header ends',
      { url: 'x', headers: { a: '1', b: '2' } },
      { url: 'x', headers: { a: '1, b, 2' } },
    ],
    ['body', base, { ...base, json: { b: 2 } }],
    ['kind of body', { url: 'x', json: 1 }, { url: 'x', body: '1' }],
    [
      'text that looks like a form',
      { url: 'x', body: 'a=1' },
      { url: 'x', body: new URLSearchParams('a=1') },
    ],
    ['body that is empty', { url: 'x' }, { url: 'x', body: '' }],
  ] as [string, SubmitRequest, SubmitRequest][])(
    'is another for another %s',
    async (_what, one, other) => {
      expect(await fingerprint(one)).not.toBe(await fingerprint(other))
    },
  )

  it('does not depend on the page’s own address, which changes while a person walks through the app', async () => {
    const before = await fingerprint({ url: 'orders' })
    const page = globalThis as { location?: unknown }
    page.location = { href: 'https://shop.example/cart/42' }
    try {
      expect(await fingerprint({ url: 'orders' })).toBe(before)
    } finally {
      delete page.location
    }
  })

  it('is another wherever the bytes on the wire are', async () => {
    const text = fc.string({ maxLength: 8 })
    const request = fc.record({
      url: fc.constantFrom('a', 'b', 'a?b'),
      method: fc.constantFrom('POST', 'PUT'),
      body: text,
    }) as fc.Arbitrary<SubmitRequest & { body: string }>
    await fc.assert(
      fc.asyncProperty(request, request, async (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other)
        expect((await fingerprint(one)) === (await fingerprint(other))).toBe(same)
      }),
    )
  })
})
