import type { Head } from './exchange.ts'
import type { Fields } from './settings.ts'

/** Undefined: it says that it is JSON, and is not. Anything but JSON and URL-encoded forms counts as having no fields. */
export function fieldsOf(head: Head, body: Uint8Array): Fields | undefined {
  const type = head.headers['content-type'] ?? ''
  const said = new TextDecoder().decode(body)
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(said))
  }
  if (!/\bjson\b/.test(type) || said === '') return {}
  try {
    const value: unknown = JSON.parse(said)
    return typeof value === 'object' && value !== null ? (value as Fields) : {}
  } catch {
    return undefined
  }
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
