import type { Bytes } from './bytes.ts'
import { check, SendonceError } from './errors.ts'
import { keyTail, mintKey } from './key.ts'
import { at, member, steps } from './profiles/match.ts'
import type { JsonPointer } from './profiles/profile.ts'
import type { Gap } from './record.ts'

type Raw = string | URLSearchParams | Blob | ArrayBuffer | ArrayBufferView

/** What a submit may carry; at most one of the three is given. */
export interface Content {
  readonly json?: unknown
  readonly form?: FormData | undefined
  readonly body?: Raw | undefined
}

/** What the library itself puts into a body, when it is sent. `given`: what may stand there already. */
export interface Insert {
  readonly pointer: JsonPointer
  readonly of: Gap['of']
  readonly given: string | undefined
}

/** A body that nothing can change any more. */
export interface FrozenBody {
  /** As a browser would name it; of a form without its boundary. Empty where nothing is said of it. */
  readonly contentType: string
  /** What counts when two bodies are compared: JSON with sorted keys, a form by its entries, all without what is volatile. */
  readonly canonical: string | Bytes
  readonly gaps?: readonly Gap[] | undefined
  /** What goes on the wire, undefined without a body. Only a form makes use of the boundary. */
  readonly encode: (boundary: string) => Bytes | undefined
}

/** 50 MB. More than that belongs in a resumable upload: a phone has no room for it and its copies. */
export const MAX_BODY_BYTES = 50_000_000

/** Of a form; its boundary is missing yet. */
export const FORM_TYPE = 'multipart/form-data'

const RAW = /^(?:String|URLSearchParams|Blob|File|ArrayBuffer|DataView|\w+Array)$/

/**
 * Takes a copy of a body, as far as possible before it returns: what the caller changes later, and what changes on
 * disk, has no effect. JSON is ready at once; files have to be waited for.
 *
 * Throws, or rejects with, a `body` error: not serialisable, of an unsupported kind, too large, or a file that changed.
 *
 * @param volatile Members of the JSON, or fields of the form, that do not count.
 * @param inserts Only into JSON: what was encoded by somebody else is not taken apart.
 */
export function freezeBody(
  { json, form, body }: Content,
  volatile: readonly JsonPointer[],
  inserts: readonly Insert[] = [],
): FrozenBody | Promise<FrozenBody> {
  if (json !== undefined) return freezeJson(json, volatile, inserts)
  for (const { of, pointer } of inserts) {
    throw refuse(`the server profile puts its ${of} at ${pointer} of the body, give that as json`)
  }
  if (form !== undefined) return freezeForm(form, volatile)
  if (body !== undefined) return freezeRaw(body)
  return { contentType: '', canonical: '', encode: () => undefined }
}

/** One part after the other, texts in UTF-8. */
export function concat(parts: readonly (string | Bytes)[]): Bytes {
  const encoder = new TextEncoder()
  const list = parts.map(part => (typeof part === 'string' ? encoder.encode(part) : part))
  const whole = new Uint8Array(list.reduce((size, part) => size + part.length, 0))
  let offset = 0
  for (const part of list) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

function freezeJson(
  json: unknown,
  volatile: readonly JsonPointer[],
  inserts: readonly Insert[],
): FrozenBody {
  let text: string | undefined
  try {
    text = JSON.stringify(json)
  } catch (cause) {
    throw refuse('json cannot be serialised, use plain data', cause)
  }
  if (text === undefined) throw refuse(`json is ${kindOf(json)}, use plain data`)
  const plain: unknown = JSON.parse(text)
  for (const pointer of volatile) remove(plain, steps(pointer))
  for (const { pointer } of inserts) remove(plain, steps(pointer))
  const [template, gaps] = inserts.length > 0 ? cut(text, inserts) : [concat([text]), undefined]
  return { ...whole('application/json', template, JSON.stringify(plain, sortKeys)), gaps }
}

/** The same text, with gaps where something is to be inserted. */
function cut(text: string, inserts: readonly Insert[]): [Bytes, Gap[]] {
  const json: unknown = JSON.parse(text)
  const marks = new Map<string, Gap['of']>()
  for (const { pointer, of, given } of inserts) {
    const there = at(json, pointer)
    check(
      there === undefined || there === given,
      `json${pointer}`,
      `…${keyTail(`${there}`)}`,
      `leave it out, the server profile puts its ${of} there`,
    )
    const path = steps(pointer)
    const name = path.pop() as string
    const parent = path.reduce(member, json)
    if (typeof parent !== 'object' || !parent) {
      throw refuse(`json has no place for the ${of} at ${pointer}, give the object around it`)
    }
    // Random, so that it is nowhere else in the text.
    const mark = mintKey()
    marks.set(mark, of)
    Object.assign(parent, { [name]: mark })
  }
  const gaps: Gap[] = []
  let template = concat([])
  // What is split by a group keeps the group: text, mark, text.
  for (const part of JSON.stringify(json).split(RegExp(`"(${[...marks.keys()].join('|')})"`))) {
    const of = marks.get(part)
    if (of) gaps.push({ at: template.length, of })
    else template = concat([template, part])
  }
  return [template, gaps]
}

const sortKeys = (_key: string, value: unknown): unknown =>
  value && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map(key => [key, member(value, key)]),
      )
    : value

function remove(json: unknown, path: string[]): void {
  const name = path.pop() as string
  const parent = path.reduce(member, json)
  if (member(parent, name) !== undefined) delete (parent as Record<string, unknown>)[name]
}

function freezeForm(form: FormData, volatile: readonly JsonPointer[]): Promise<FrozenBody> {
  if (kindOf(form) !== 'FormData') throw refuse('form is no FormData, use new FormData(form)')
  const entries = [...form]
  checkSize(entries.map(([, is]) => is))
  const left = volatile.map(pointer => steps(pointer).join('/'))
  const fields = entries.map(async ([name, is]) => ({
    counts: !left.includes(name),
    name: crlf(name),
    ...(typeof is === 'string'
      ? { file: '', type: '', bytes: concat([crlf(is)]) }
      : { file: is.name, type: is.type || 'application/octet-stream', bytes: await read(is) }),
  }))
  return Promise.all(fields).then(all => {
    const counting = all.filter(field => field.counts)
    return {
      contentType: FORM_TYPE,
      // The lengths tell where each content ends, whatever is in it.
      canonical: concat([
        JSON.stringify(
          counting.map(field => [field.name, field.file, field.type, field.bytes.length]),
        ),
        ...counting.map(field => field.bytes),
      ]),
      // As the HTML standard encodes it. Only a file has a type, and it always has one.
      encode: boundary =>
        concat([
          ...all.flatMap(({ name, file, type, bytes }) => [
            `--${boundary}\r\nContent-Disposition: form-data; name="${quote(name)}"${
              type && `; filename="${quote(file)}"\r\nContent-Type: ${type}`
            }\r\n\r\n`,
            bytes,
            '\r\n',
          ]),
          `--${boundary}--\r\n`,
        ]),
    }
  })
}

const crlf = (text: string): string => text.replace(/\r\n?|\n/g, '\r\n')
const quote = (name: string): string => name.replace(/[\r\n"]/g, encodeURIComponent)

function freezeRaw(body: Raw): Promise<FrozenBody> {
  if (!RAW.test(kindOf(body))) {
    throw refuse(
      `a ${kindOf(body)} cannot be sent again, use text, bytes, a Blob or URLSearchParams`,
    )
  }
  checkSize([body])
  // Copies bytes, and knows the content type, as `fetch` does.
  const response = new Response(body as BodyInit)
  const contentType = response.headers.get('content-type') ?? ''
  return read(response, body).then(bytes => whole(contentType, bytes))
}

/** By tag and not by `instanceof`: an object of another frame is one all the same. */
const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1)

function whole(
  contentType: string,
  bytes: Bytes,
  canonical: FrozenBody['canonical'] = bytes,
): FrozenBody {
  checkSize([bytes])
  return { contentType, canonical, encode: () => bytes }
}

async function read(from: Blob | Response, named: unknown = from): Promise<Bytes> {
  try {
    return new Uint8Array(await from.arrayBuffer())
  } catch (cause) {
    const { name = 'a file' } = named as Partial<File>
    throw refuse(`${name} has changed on disk, choose it again`, cause)
  }
}

/** Also before it is read: a file of gigabytes is not taken into memory only to be refused. */
function checkSize(parts: readonly unknown[]): void {
  const bytes = (parts as Partial<Blob & Bytes>[]).reduce(
    (sum, { size, byteLength, length }) => sum + (size ?? byteLength ?? length ?? 0),
    0,
  )
  if (bytes > MAX_BODY_BYTES) {
    throw refuse(`${bytes} bytes are too many, use at most ${MAX_BODY_BYTES}`)
  }
}

const refuse = (message: string, cause?: unknown): SendonceError =>
  new SendonceError('body', `${message}.`, { cause })
