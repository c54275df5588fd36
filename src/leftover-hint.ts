import type { Submitted } from './hints.ts'
import { ADVICE } from './name-hints.ts'
import type { FrozenRequest } from './record.ts'
import { isSettled } from './record.ts'
import { recordsOf } from './scope-records.ts'

/** So many members are named: whoever changes more knows what was changed. */
const MOST_NAMED = 3

/** Compares a submit with what nobody knows the outcome of, be it of an earlier visit. */
export async function leftoverHint({
  host,
  scope,
  operation,
  request,
  ...submitted
}: Submitted): Promise<{ readonly about: 'name' | 'body'; readonly hint: string } | undefined> {
  const { volatile = [] } = request
  // At once: it is the caller's to change.
  const now = given(request)
  const fingerprint = await submitted.fingerprint
  for (const [name, record] of await recordsOf(host, scope)) {
    if (isSettled(record) || record.ambiguous === 0) continue
    const same = record.request.fingerprint === fingerprint
    if (same && name !== operation) {
      const hint = `the same request was submitted as "${name}" before, of which nobody knows what became, and now as "${operation}". If it is one order it needs one name: ${ADVICE}`
      return { about: 'name', hint }
    }
    if (same || name !== operation) continue
    const names = differences(await contentOf(record.request), now).filter(
      name => name && !volatile.some(each => name === each || name.startsWith(`${each}/`)),
    )
    if (names.length === 0 || names.length > MOST_NAMED) continue
    const hint = `"${operation}" was submitted with another body while nobody knows what became of the first: they differ in ${names.join(', ')}. What is new with every submit and no part of what is ordered is to be named: volatile: ${JSON.stringify(names)}.`
    return { about: 'body', hint }
  }
  return undefined
}

/** The body that is kept, as far as it can be taken apart. */
async function contentOf({ headers, body }: FrozenRequest): Promise<unknown> {
  if (!body.kept || !body.bytes) return undefined
  const response = new Response(body.bytes, { headers })
  const type = headers['content-type'] ?? ''
  return /^multipart/.test(type) ? fieldsOf(await response.formData()) : response.json()
}

/** The same of what is submitted now. */
function given({ json, form }: Submitted['request']): unknown {
  if (form) return fieldsOf(form)
  return json === undefined ? undefined : JSON.parse(JSON.stringify(json))
}

/** Text by name; a file by what can be told of it at once. */
function fieldsOf(form: FormData): unknown {
  const text = (value: FormDataEntryValue) =>
    typeof value === 'string' ? value.replace(/\r\n?|\n/g, '\r\n') : `${value.name} ${value.size}`
  return Object.fromEntries(
    [...new Set(form.keys())].map(name => [name, form.getAll(name).map(text).join()]),
  )
}

/** JSON Pointers (RFC 6901) of the members that differ. */
function differences(before: unknown, now: unknown, at = ''): readonly string[] {
  if (!isObject(before) || !isObject(now)) {
    return Object.is(before, now) ? [] : [at]
  }
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap(name =>
    differences(
      before[name],
      now[name],
      `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    ),
  )
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
