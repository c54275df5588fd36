/** What of an address is not its origin: the part in which something may be put. */
export function pathOf(url: string): string {
  return url.replace(/^(?:https?:)?\/\/[^/?#]*/i, '')
}

/** Relative addresses are read against this one, to see whether they can be one at all. */
export const SOME_PAGE: string = 'http://relative.invalid/a/b/'

/** An address that may be asked: http(s), without credentials; undefined for every other. */
export function webAddress(url: string, base?: string): URL | undefined {
  try {
    const parsed = new URL(url, base)
    const { protocol, username, password } = parsed
    return /^https?:$/.test(protocol) && !username && !password ? parsed : undefined
  } catch {
    return undefined
  }
}

/** GET and HEAD need no key, ky repeats them as they are. */
export const METHOD: RegExp = /^(?:POST|PUT|PATCH|DELETE)$/
/** They guard an attempt: a record must not hold them. */
export const GUARDS: readonly string[] = ['authorization', 'proxy-authorization', 'cookie']
