import { describe, expect, it } from 'vitest'
import type { Content, FrozenBody } from '../../src/body.ts'
import { freezeBody, MAX_BODY_BYTES } from '../../src/body.ts'
import type { JsonPointer } from '../../src/profiles/profile.ts'

const text = (bytes: string | Uint8Array | undefined) =>
  typeof bytes === 'object' ? new TextDecoder().decode(bytes) : bytes
const freeze = async (content: Content, volatile: JsonPointer[] = []) => {
  const { contentType, canonical, encode } = await freezeBody(content, volatile)
  return { contentType, canonical: text(canonical), wire: text(encode('BOUNDARY')) }
}
const canonical = async (content: Content, ...volatile: JsonPointer[]) =>
  (await freeze(content, volatile)).canonical
const formOf = (...entries: [string, string | Blob, string?][]) => {
  const form = new FormData()
  for (const [name, value, file] of entries) {
    if (typeof value === 'string') form.append(name, value)
    else if (file === undefined) form.append(name, value)
    else form.append(name, value, file)
  }
  return form
}
const bodyError = expect.objectContaining({ name: 'SendonceError', code: 'body' })

/** A file that was edited on disk after it was chosen, as browsers answer for it. */
const staleFile = () =>
  Object.assign(new File(['old'], 'photo.jpg'), {
    arrayBuffer: () => Promise.reject(new DOMException('could not be read', 'NotReadableError')),
  })

describe('a JSON body', () => {
  it('is ready at once, so that a click costs no more awaits than it must', () => {
    expect(freezeBody({ json: { a: 1 } }, [])).not.toBeInstanceOf(Promise)
  })

  it('is sent as JSON.stringify writes it', async () => {
    const json = { z: 1, a: [{ y: 'ü', b: undefined }, null, -0, 1e21], d: new Date(0) }
    expect(await freeze({ json })).toMatchObject({
      contentType: 'application/json',
      wire: JSON.stringify(json),
    })
  })

  it('is serialised once, and later changes have no effect', async () => {
    let calls = 0
    const json = { amount: 1, toJSON: () => ({ amount: 1, calls: ++calls }) }
    const frozen = freezeBody({ json }, []) as FrozenBody
    json.amount = 2
    expect(text(frozen.encode(''))).toBe('{"amount":1,"calls":1}')
    expect(text(frozen.encode(''))).toBe('{"amount":1,"calls":1}')
    expect(calls).toBe(1)
  })

  it.each([[null], [0], [''], [false], [[]]])('may be %j', async json => {
    expect((await freeze({ json })).wire).toBe(JSON.stringify(json))
  })

  it('counts as the same with its keys in another order, at every depth', async () => {
    expect(await canonical({ json: { b: [{ y: 1, x: 2 }], a: 3 } })).toBe(
      await canonical({ json: { a: 3, b: [{ x: 2, y: 1 }] } }),
    )
  })

  it('counts as another with its items in another order', async () => {
    expect(await canonical({ json: [1, 2] })).not.toBe(await canonical({ json: [2, 1] }))
  })

  it.each([
    ['a member named __proto__', '{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}'],
    ['a number and its text', '{"a":1}', '{"a":"1"}'],
    ['nothing and null', '{}', '{"a":null}'],
    ['an object and a list', '{"0":1}', '[1]'],
  ])('counts as another by %s', async (_what, one, other) => {
    const json = JSON.parse(one)
    expect(await canonical({ json })).not.toBe(await canonical({ json: JSON.parse(other) }))
  })

  it('counts without what is volatile, and is sent with it', async () => {
    const json = (sentAt: number) => ({ items: [{ id: 1, at: sentAt }], 'a/b': sentAt, sentAt })
    const volatile: JsonPointer[] = ['/sentAt', '/items/0/at', '/a~1b', '/not/there']
    expect(await canonical({ json: json(1) }, ...volatile)).toBe(
      await canonical({ json: json(2) }, ...volatile),
    )
    expect((await freeze({ json: json(1) }, volatile)).wire).toBe(JSON.stringify(json(1)))
    expect(await canonical({ json: json(1) }, '/sentAt')).not.toBe(
      await canonical({ json: json(2) }, '/sentAt'),
    )
  })

  it('survives volatile pointers to what is nobody’s to delete', async () => {
    const json = [{ a: 1 }]
    expect(await canonical({ json }, '/length', '/0/constructor', '/0/a/b')).toBe('[{"a":1}]')
  })

  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  it.each([
    ['is cyclic', cyclic],
    ['holds a BigInt', { amount: 1n }],
    [
      'throws in a getter',
      Object.defineProperty({}, 'a', {
        enumerable: true,
        get: () => {
          throw 1
        },
      }),
    ],
    [
      'throws in toJSON',
      {
        toJSON: () => {
          throw Symbol('no')
        },
      },
    ],
    ['is a function', () => 1],
    ['is a symbol', Symbol('s')],
    ['becomes undefined', { toJSON: () => undefined }],
  ])('is refused at once when it %s', (_what, json) => {
    expect(() => freezeBody({ json }, [])).toThrow(bodyError)
  })

  it('keeps the reason of a refusal as its cause', () => {
    const cause = new Error('my getter')
    const json = {
      toJSON: () => {
        throw cause
      },
    }
    expect(() => freezeBody({ json }, [])).toThrow(expect.objectContaining({ cause }))
  })
})

describe('a form body', () => {
  it('is encoded as the HTML standard says', async () => {
    const form = formOf(
      ['name', 'Ada'],
      ['photo', new File(['bytes'], 'p.png', { type: 'image/png' })],
      ['note', new Blob(['x'])],
    )
    expect(await freeze({ form })).toMatchObject({
      contentType: 'multipart/form-data',
      wire: [
        '--BOUNDARY',
        'Content-Disposition: form-data; name="name"',
        '',
        'Ada',
        '--BOUNDARY',
        'Content-Disposition: form-data; name="photo"; filename="p.png"',
        'Content-Type: image/png',
        '',
        'bytes',
        '--BOUNDARY',
        'Content-Disposition: form-data; name="note"; filename="blob"',
        'Content-Type: application/octet-stream',
        '',
        'x',
        '--BOUNDARY--',
        '',
      ].join('\r\n'),
    })
  })

  it('escapes names and normalises line ends as the HTML standard says', async () => {
    const form = formOf(
      ['a"\r\nb\rc\nd', 'one\rtwo\nthree\r\nfour'],
      ['f', new File([], 'q"\r\n%.txt')],
    )
    expect((await freeze({ form })).wire).toBe(
      [
        '--BOUNDARY',
        'Content-Disposition: form-data; name="a%22%0D%0Ab%0D%0Ac%0D%0Ad"',
        '',
        'one\r\ntwo\r\nthree\r\nfour',
        '--BOUNDARY',
        'Content-Disposition: form-data; name="f"; filename="q%22%0D%0A%.txt"',
        'Content-Type: application/octet-stream',
        '',
        '',
        '--BOUNDARY--',
        '',
      ].join('\r\n'),
    )
  })

  it('is read by a server as it was filled in', async () => {
    const form = formOf(
      ['ü', 'Ünï\r\ncode'],
      ['ü', 'twice'],
      ['f', new File(['\0\xff\r\n--'], 'ä.bin')],
    )
    const { encode } = await freezeBody({ form }, [])
    const headers = { 'content-type': 'multipart/form-data; boundary=BOUNDARY' }
    const got = await new Response(encode('BOUNDARY') ?? null, { headers }).formData()
    expect(got.getAll('ü')).toEqual(['Ünï\r\ncode', 'twice'])
    const file = got.get('f') as File
    expect([file.name, await file.text()]).toEqual(['ä.bin', '\0\xff\r\n--'])
  })

  it('may be empty', async () => {
    expect((await freeze({ form: new FormData() })).wire).toBe('--BOUNDARY--\r\n')
  })

  it('is taken when it is given, whatever is done to it later', async () => {
    const form = formOf(['a', '1'])
    const frozen = freezeBody({ form }, [])
    form.set('a', '2')
    expect(text((await frozen).encode('B'))).toContain('\r\n\r\n1\r\n')
  })

  it('has each file read once', async () => {
    let reads = 0
    const file = new File(['x'], 'x')
    const counted = Object.assign(file, {
      arrayBuffer: () => {
        reads++
        return Blob.prototype.arrayBuffer.call(file)
      },
    })
    const frozen = await freezeBody({ form: fakeForm(['f', counted]) }, [])
    frozen.encode('a')
    frozen.encode('b')
    expect(reads).toBe(1)
  })

  it.each([
    ['a value', formOf(['a', '1']), formOf(['a', '2'])],
    ['the order', formOf(['a', '1'], ['b', '2']), formOf(['b', '2'], ['a', '1'])],
    ['a file name', formOf(['f', new Blob(['x']), 'a']), formOf(['f', new Blob(['x']), 'b'])],
    ['a type', formOf(['f', new Blob(['x'], { type: 'a/b' })]), formOf(['f', new Blob(['x'])])],
    ['a file for a text', formOf(['f', 'x']), formOf(['f', new Blob(['x'])])],
    ['where a value ends', formOf(['a', 'xy'], ['b', '']), formOf(['a', 'x'], ['b', 'y'])],
    [
      'a value that looks like an entry',
      formOf(['a', '","",0],["b']),
      formOf(['a', ''], ['b', '']),
    ],
  ])('counts as another by %s', async (_what, one, other) => {
    expect(await canonical({ form: one })).toBe(await canonical({ form: one }))
    expect(await canonical({ form: one })).not.toBe(await canonical({ form: other }))
  })

  it('counts without a volatile field, and is sent with it', async () => {
    const form = (answer: string) => formOf(['a', '1'], ['g-captcha', answer], ['x/y', answer])
    const volatile: JsonPointer[] = ['/g-captcha', '/x~1y']
    expect(await canonical({ form: form('1') }, ...volatile)).toBe(
      await canonical({ form: form('2') }, ...volatile),
    )
    expect((await freeze({ form: form('answer') }, volatile)).wire).toContain('answer')
  })

  it('is refused when a file has changed on disk since it was chosen', async () => {
    const frozen = freezeBody({ form: fakeForm(['f', staleFile()]) }, [])
    await expect(frozen).rejects.toThrow(bodyError)
    await expect(frozen).rejects.toThrow('photo.jpg has changed on disk, choose it again')
  })

  it('is refused at once when it is a form element and not its data', () => {
    const form = { [Symbol.toStringTag]: 'HTMLFormElement' } as unknown as FormData
    expect(() => freezeBody({ form }, [])).toThrow(bodyError)
  })
})

/** FormData makes a new File of a File, so that one that misbehaves needs a FormData that hands it out. */
function fakeForm(...entries: [string, File][]): FormData {
  return {
    [Symbol.iterator]: () => entries[Symbol.iterator](),
    [Symbol.toStringTag]: 'FormData',
  } as unknown as FormData
}

describe('any other body', () => {
  const buffer = () => Uint8Array.from([104, 105]).buffer
  it.each([
    ['a text', 'hï', 'text/plain;charset=UTF-8', 'hï'],
    ['an empty text', '', 'text/plain;charset=UTF-8', ''],
    [
      'URLSearchParams',
      new URLSearchParams({ a: '1 2', b: 'ü' }),
      'application/x-www-form-urlencoded;charset=UTF-8',
      'a=1+2&b=%C3%BC',
    ],
    ['a Blob', new Blob(['hi'], { type: 'image/png' }), 'image/png', 'hi'],
    ['a Blob without a type', new Blob(['hi']), '', 'hi'],
    ['a File', new File(['hi'], 'a.txt', { type: 'text/plain' }), 'text/plain', 'hi'],
    ['an ArrayBuffer', buffer(), '', 'hi'],
    ['a typed array', new Uint8Array(buffer()), '', 'hi'],
    ['a part of a buffer', new Uint8Array(buffer(), 1), '', 'i'],
    ['a DataView', new DataView(buffer()), '', 'hi'],
    ['a Node Buffer', Buffer.from('hi'), '', 'hi'],
  ] as [string, NonNullable<Content['body']>, string, string][])(
    'may be %s',
    async (_what, body, contentType, wire) => {
      expect(await freeze({ body })).toEqual({ contentType, canonical: wire, wire })
    },
  )

  it('is none where none is given', async () => {
    expect(await freeze({})).toEqual({ contentType: '', canonical: '', wire: undefined })
  })

  it('is copied when it is given, whatever is done to it later', async () => {
    const body = Uint8Array.from([1, 2])
    const params = new URLSearchParams({ a: '1' })
    const frozen = [freezeBody({ body }, []), freezeBody({ body: params }, [])]
    body[0] = 9
    params.set('a', '2')
    const [bytes, query] = await Promise.all(frozen)
    expect([...(bytes?.encode('') ?? [])]).toEqual([1, 2])
    expect(text(query?.encode(''))).toBe('a=1')
  })

  it.each([
    ['a stream', new ReadableStream()],
    ['an object', { a: 1 }],
    ['a list', [1]],
    ['null', null],
    ['a number', 42],
    ['FormData, which goes into form', new FormData()],
    ['shared memory', new SharedArrayBuffer(1)],
  ])('is refused at once when it is %s', (_what, body) => {
    expect(() => freezeBody({ body: body as unknown as string }, [])).toThrow(bodyError)
  })

  it('is refused when it is a file that has changed on disk', async () => {
    const body = new File(['old'], 'photo.jpg')
    const original = Response.prototype.arrayBuffer
    Response.prototype.arrayBuffer = () => Promise.reject(new TypeError('Failed to fetch'))
    try {
      await expect(freezeBody({ body }, [])).rejects.toThrow('photo.jpg has changed on disk')
    } finally {
      Response.prototype.arrayBuffer = original
    }
  })
})

describe('a body of more than 50 MB', () => {
  const big = () => 'x'.repeat(MAX_BODY_BYTES + 1)

  it('is refused before a blob or a file is read', () => {
    const blob = Object.assign(new File([], 'big'), { arrayBuffer: expect.unreachable })
    Object.defineProperty(blob, 'size', { value: MAX_BODY_BYTES + 1 })
    expect(() => freezeBody({ body: blob }, [])).toThrow(bodyError)
    expect(() => freezeBody({ form: fakeForm(['f', blob]) }, [])).toThrow(bodyError)
  })

  it('is refused as text, as bytes and as JSON', () => {
    expect(() => freezeBody({ body: big() }, [])).toThrow(bodyError)
    expect(() => freezeBody({ body: new Uint8Array(MAX_BODY_BYTES + 1) }, [])).toThrow(bodyError)
    expect(() => freezeBody({ body: new ArrayBuffer(MAX_BODY_BYTES + 1) }, [])).toThrow(bodyError)
    expect(() => freezeBody({ json: big() }, [])).toThrow(bodyError)
  })

  it('is measured in bytes and not in characters', async () => {
    const body = 'ü'.repeat(MAX_BODY_BYTES / 2 + 1)
    await expect(freezeBody({ body }, [])).rejects.toThrow(bodyError)
  })

  it('is measured over all entries of a form', () => {
    const file = Object.assign(new File([], 'half'), { arrayBuffer: expect.unreachable })
    Object.defineProperty(file, 'size', { value: MAX_BODY_BYTES / 2 + 1 })
    expect(() => freezeBody({ form: fakeForm(['a', file], ['b', file]) }, [])).toThrow(bodyError)
  })

  it('is what it is above, not at, the limit', async () => {
    const frozen = await freezeBody({ body: new Uint8Array(MAX_BODY_BYTES) }, [])
    expect(frozen.encode('')?.length).toBe(MAX_BODY_BYTES)
  })
})
