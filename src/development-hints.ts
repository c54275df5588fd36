import { createCorsHint } from './cors-hint.ts'
import type { SendonceEvent } from './events.ts'
import type { Hinted, Hints } from './hints.ts'
import { createNameHints } from './name-hints.ts'

const ENDINGS: readonly SendonceEvent['type'][] = ['succeeded', 'refused', 'paused', 'unknown']

/** Says each hint once, in the console. */
export function createDevelopmentHints({ fixedScope, now }: Hinted): Hints {
  const said = new Set<string>()
  const names = createNameHints()
  const say = (about: string, hint: string | undefined) => {
    if (!hint || said.has(about)) return
    said.add(about)
    console.warn(`sendonce: ${hint}`)
  }
  const cors = createCorsHint()
  return {
    submitted(operation, method, url, fingerprint) {
      const address = `${method} ${url.split('?')[0]}`
      const at = now()
      fingerprint.then(
        each => say(`name ${address}`, names.submitted(operation, address, each, at)),
        // A body that cannot be read is told by its error.
        () => {},
      )
    },
    happened(event) {
      if (ENDINGS.includes(event.type)) names.ended(event.operation)
      if (event.type !== 'paused' || event.reason !== 'unauthorized' || fixedScope === undefined)
        return
      say(
        'scope',
        `the server asks for another sign-in, and the scope is always "${fixedScope}". Whoever signs in next in this page would be taken for the same person: give a function, such as scope: () => session.userId.`,
      )
    },
    unanswered(origin, headers) {
      say(`cors ${origin}`, cors.unanswered(origin, headers))
    },
    answered(origin, { ok, url, headers }) {
      cors.answered(origin)
      if (!ok || !/html/i.test(headers.get('content-type') ?? '')) return
      say(
        `page ${url}`,
        `${url} answers with a page (text/html) and no error, which says nothing of what was sent. Often nobody serves this address, and a server of single-page apps gives its index.html for it.`,
      )
    },
  }
}
