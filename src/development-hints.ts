import { createCorsHint } from './cors-hint.ts'
import type { SendonceEvent } from './events.ts'
import type { Hinted, Hints, HintsMaker } from './hints.ts'
import { leftoverHint } from './leftover-hint.ts'
import { createNameHints } from './name-hints.ts'

const ENDINGS: readonly SendonceEvent['type'][] = ['succeeded', 'refused', 'paused', 'unknown']

/** So many clients of one name in so short a time are made by something that runs again and again. */
const MANY_CLIENTS = 10
const SHORT_MS = 10_000

/** For the clients of one page. */
export function createDevelopmentHints(): HintsMaker {
  const created = new Map<string, readonly number[]>()
  const warned = new Set<string>()
  return about => {
    const { name, platform } = about
    const now = platform.now()
    const times = [...(created.get(name) ?? []), now].slice(-MANY_CLIENTS)
    created.set(name, times)
    const [first = 0] = times
    const isMany = times.length === MANY_CLIENTS && now - first < SHORT_MS
    // A test outside of a browser may well make one for each case.
    if (isMany && globalThis.navigator?.userActivation && !warned.has(name)) {
      warned.add(name)
      warn(
        `${MANY_CLIENTS} clients named "${name}" were created in a few seconds, in render perhaps. Create one, outside of your components, and share it.`,
      )
    }
    return hintsOf(about)
  }
}

/** Says each hint once, in the console. */
function hintsOf({ scope, platform }: Hinted): Hints {
  const said = new Set<string>()
  const names = createNameHints()
  const say = (about: string, hint: string | undefined) => {
    if (!hint || said.has(about)) return
    said.add(about)
    warn(hint)
  }
  const cors = createCorsHint()
  return {
    submitted(submitted) {
      const { operation, method, url, request } = submitted
      const address = `${method} ${url.split('?')[0]}`
      const at = platform.now()
      if (globalThis.navigator?.userActivation?.hasBeenActive === false && !request.once) {
        say(
          'nobody',
          `"${operation}" was submitted before anybody had touched the page, in an effect perhaps. After its success every reload submits it anew: submit where a person asks for it, or pass once: true.`,
        )
      }
      const look = async () => {
        const leftover = leftoverHint(submitted)
        // It is waited for only after the fingerprint, by which it fails too.
        leftover.catch(() => {})
        const fingerprint = await submitted.fingerprint
        say(`name ${address}`, names.submitted(operation, address, fingerprint, at))
        const left = await leftover
        say(`${left?.about} ${address}`, left?.hint)
      }
      // What cannot be read is told by its error.
      look().catch(() => {})
    },
    happened(event) {
      if (ENDINGS.includes(event.type)) names.ended(event.operation)
      if (event.type !== 'paused' || event.reason !== 'unauthorized') return
      if (typeof scope === 'function') return
      say(
        'scope',
        `the server asks for another sign-in, and the scope is always "${scope}". Whoever signs in next in this page would be taken for the same person: give a function, such as scope: () => session.userId.`,
      )
    },
    attempted(origin, sent, wire) {
      if (sent.is === 'unanswered' && sent.because === 'network' && platform.online()) {
        say(`cors ${origin}`, cors.unanswered(origin, Object.keys(wire.headers)))
      }
      if (sent.is !== 'answered') return
      const { ok, url, headers } = sent.response
      cors.answered(origin)
      if (!ok || !/html/i.test(headers.get('content-type') ?? '')) return
      say(
        `page ${url}`,
        `${url} answers with a page (text/html) and no error, which says nothing of what was sent. Often nobody serves this address, and a server of single-page apps gives its index.html for it.`,
      )
    },
  }
}

function warn(hint: string): void {
  console.warn(`sendonce: ${hint}`)
}
