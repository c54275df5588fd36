import { describe, expect, it } from 'vitest'
import { oneLab } from './lab.ts'

const lab = oneLab()

const VERSIONS = ['ky1', 'ky'] as const
type Version = (typeof VERSIONS)[number]

/** How a hook that has renewed the session asks once more. */
const FORMS = ['ky.retry()', 'ky(request)', 'fetch(request)'] as const

const EVERY = VERSIONS.flatMap(version => FORMS.map(form => [version, form] as const))

/** Runs in the page: a client whose ky knows of a session that is over, and renews it as the app always does. */
function openExpired(
  version: Version,
  form: (typeof FORMS)[number],
  hooksMayRetry: boolean,
  renewed: string,
): void {
  const { ky, ky1 } = window
  let session = 'signed-out'
  const authorize = (request: Request) => {
    request.headers.set('Authorization', `Bearer ${session}`)
  }
  const renew = async <Marker>(
    request: Request,
    { status }: Response,
    send: (again: Request) => Promise<Response>,
    retry: (again: Request) => Marker,
  ) => {
    if (status !== 401) return undefined
    // As long as a round trip.
    await fetch('/api/keys')
    session = renewed
    const again = new Request(request)
    authorize(again)
    if (form === 'fetch(request)') return fetch(again)
    return form === 'ky(request)' ? send(again) : retry(again)
  }
  const withHooks =
    version === 'ky1'
      ? ky1.extend({
          hooks: {
            beforeRequest: [authorize],
            afterResponse: [
              (request, _options, response) =>
                renew(request, response, ky1, again => ky1.retry({ request: again })),
            ],
          },
        })
      : ky.extend({
          hooks: {
            beforeRequest: [({ request }) => authorize(request)],
            afterResponse: [
              ({ request, response }) =>
                renew(request, response, ky, again => ky.retry({ request: again })),
            ],
          },
        })
  window.lab.open({ ky: withHooks, hooksMayRetry })
}

describe('a session that is renewed in an afterResponse hook', () => {
  it.each(EVERY)('sends the same once more, within the attempt: %s, %s', async (version, form) => {
    const tab = await lab().newTab()
    await tab.evaluate(openExpired, version, form, true, 'ada')
    const outcome = await tab.evaluate(() => window.lab.submit())
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1, from: 'reply' })
    expect(
      lab()
        .arrivals()
        .map(({ principal }) => principal),
    ).toEqual([undefined, 'ada'])
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().bodies()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
  })

  it.each(VERSIONS)('pauses when it is over all the same: %s', async version => {
    const tab = await lab().newTab()
    await tab.evaluate(openExpired, version, 'ky.retry()', true, 'signed-out')
    const outcome = await tab.evaluate(() => window.lab.submit())
    expect(outcome).toMatchObject({ state: 'paused', reason: 'unauthorized', status: 401 })
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().orders()).toHaveLength(0)
  })

  it.each(VERSIONS)('pauses, and says why, where hooks may not ask again: %s', async version => {
    const tab = await lab().newTab()
    lab().server.next(401)
    const said = await tab.evaluate(async (version: Version) => {
      const warnings: unknown[] = []
      console.warn = (...words) => warnings.push(...words)
      const { ky, ky1 } = window
      window.lab.open({
        ky:
          version === 'ky1'
            ? ky1.extend({ hooks: { afterResponse: [() => ky1.retry()] } })
            : ky.extend({ hooks: { afterResponse: [() => ky.retry()] } }),
      })
      return { outcome: await window.lab.submit(), warnings }
    }, version)
    expect(said.outcome).toMatchObject({ state: 'paused', reason: 'unauthorized', status: 401 })
    expect(said.warnings).toEqual([expect.stringContaining('hooksMayRetry: true')])
    expect(lab().arrivals()).toHaveLength(1)
  })
})

/** Runs in the page: an `afterResponse` or `beforeRequest` hook that does nothing but this. */
function openWithHook(
  version: Version,
  hook: 'beforeRequest' | 'afterResponse',
  does: 'throw' | 'never settle',
): void {
  const run = () => {
    if (does === 'throw') throw new Error('The hook is broken.')
    return new Promise<never>(() => {})
  }
  const ky = window[version].extend({ hooks: { [hook]: [run] } })
  window.lab.open({ ky, retry: { attemptTimeoutMs: 1_000, maxAttempts: 1 } })
}

describe('a hook that is broken', () => {
  it.each(VERSIONS)('sends nothing when it throws: %s', async version => {
    const tab = await lab().newTab()
    await tab.evaluate(openWithHook, version, 'beforeRequest', 'throw')
    const outcome = await tab.evaluate(() => window.lab.submit())
    expect(outcome).toEqual({ state: 'rejected', code: 'not-sent' })
    expect(await tab.evaluate(() => window.lab.stored())).toEqual([])
    expect(lab().arrivals()).toEqual([])
  })

  it.each(VERSIONS)(
    'ends with the clock of the attempt when it never settles: %s',
    async version => {
      const tab = await lab().newTab()
      await tab.evaluate(openWithHook, version, 'beforeRequest', 'never settle')
      const outcome = await tab.evaluate(() => window.lab.submit())
      expect(outcome).toMatchObject({ state: 'paused', reason: 'unavailable', attempts: 1 })
      expect(lab().arrivals()).toEqual([])
    },
  )

  it.each(VERSIONS)(
    'leaves it unknown when it never settles after the answer: %s',
    async version => {
      const tab = await lab().newTab()
      await tab.evaluate(openWithHook, version, 'afterResponse', 'never settle')
      const outcome = await tab.evaluate(() => window.lab.submit())
      expect(outcome).toMatchObject({ state: 'unknown', reason: 'attempts', attempts: 1 })
      expect(lab().keys()).toEqual([outcome.key])
      expect(lab().orders()).toHaveLength(1)
    },
  )

  it('sends nothing when it settles after its time', async () => {
    const tab = await lab().newTab()
    const outcome = await tab.evaluate(() => {
      let settle = () => {}
      const late = new Promise<void>(resolve => {
        settle = resolve
      })
      window.lab.open({
        ky: window.ky.extend({ hooks: { beforeRequest: [() => late] } }),
        retry: { attemptTimeoutMs: 300, maxAttempts: 1 },
      })
      return window.lab.submit().then(async told => {
        settle()
        // A round trip later it would have been sent.
        await fetch('/api/keys')
        return told
      })
    })
    expect(outcome).toMatchObject({ state: 'paused', reason: 'unavailable' })
    expect(lab().arrivals()).toEqual([])
  })
})
