import { execFile } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneChromium } from './driver/one-chromium.ts'
import { button, openPage, ordered, servePlayground, shows, status } from './playground-page.ts'

const chromium = oneChromium()
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const outDir = here('../.out/playground-built')
const url = servePlayground(() => outDir)

/**
 * As `npm run build:playground` makes it, in a process that is not a test's: React in its development form does
 * everything twice, and measures itself.
 */
beforeAll(async () => {
  const root = here('../..')
  await promisify(execFile)(
    process.execPath,
    [`${root}/node_modules/vite/bin/vite.js`, 'build', '--outDir', outDir, '--logLevel', 'error'],
    { cwd: root, env: { ...process.env, NODE_ENV: 'production' } },
  )
})

const OPERATIONS = 200
/** Twenty at a time, each for a second or five, and this machine may have other things to do. */
const CROWD_LIMIT_MS = 180_000
const EVENTS_EACH = 10

/** https://w3c.github.io/longtasks: longer, and a frame is missed that a person sees. */
const LONG_TASK_MS = 50

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Processor time, in microseconds. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/**
 * The page's tasks while `work` goes on, by the processor time that each took, in milliseconds. The `longtask` entries of
 * a page go by the wall clock, and on a busy machine tell how long others were at it.
 */
async function tasksDuring(tab: ChromiumTab, work: () => Promise<void>): Promise<number[]> {
  const events: TraceEvent[] = []
  tab.cdp.on('Tracing.dataCollected', ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]))
  })
  await tab.cdp.send('Tracing.start', {
    traceConfig: { includedCategories: ['toplevel'], excludedCategories: ['*'] },
  })
  await work()
  const complete = new Promise(resolve => tab.cdp.once('Tracing.tracingComplete', resolve))
  await tab.cdp.send('Tracing.end')
  await complete
  const pages = new Set(
    events.flatMap(({ args, pid, tid }) => (args.name === 'CrRendererMain' ? `${pid} ${tid}` : [])),
  )
  return events
    .filter(({ name, pid, tid }) => name.endsWith('RunTask') && pages.has(`${pid} ${tid}`))
    .flatMap(({ tdur }) => (tdur === undefined ? [] : tdur / 1_000))
}

/** What two hundred orders of an earlier page have left, each with two replies that were lost. */
function leaveJournal(tab: ChromiumTab): Promise<void> {
  return tab.evaluate(
    (operations, eventsEach) => {
      const types = [
        { type: 'claimed', attempt: 1 },
        { type: 'sent', attempt: 1 },
        { type: 'unanswered', because: 'network', attempt: 1 },
        { type: 'waiting', reason: 'backoff', attempt: 1 },
        { type: 'claimed', attempt: 2 },
        { type: 'sent', attempt: 2 },
        { type: 'unanswered', because: 'network', attempt: 2 },
        { type: 'claimed', attempt: 3 },
        { type: 'sent', attempt: 3 },
        { type: 'succeeded', attempt: 3 },
      ]
      const begunAt = Date.now() - 1_000_000
      const entries = Array.from({ length: operations * eventsEach }, (_, index) => {
        const cart = 1_000 + Math.floor(index / eventsEach)
        const at = begunAt + index * 400
        const keyTail = `tail${String(cart).slice(-2)}`
        const event = {
          ...types[index % eventsEach],
          at,
          operation: `checkout:cart-${cart}`,
          keyTail,
        }
        return { is: 'event', shop: 'sendonce', event, at, tab: 'before', page: 'before' }
      })
      for (let leaf = 0; leaf * 50 < entries.length; leaf += 1) {
        localStorage.setItem(
          `sendonce-playground:journal:0-before:${String(leaf).padStart(4, '0')}`,
          JSON.stringify(entries.slice(leaf * 50, leaf * 50 + 50)),
        )
      }
    },
    OPERATIONS,
    EVENTS_EACH,
  )
}

describe('the playground with 200 operations on its wire', () => {
  it('stays fluent while orders are made, with 2,000 events', async () => {
    const tab = await openPage(chromium(), url())
    await leaveJournal(tab)
    await tab.reload()
    await shows(tab, '.wire', 'cart 1199')
    const tasks = await tasksDuring(tab, async () => {
      await tab.click(button('sendonce'))
      await tab.click(button('plain'))
      await shows(tab, status('plain'), 'Something went wrong')
      await tab.click(button('plain'))
      await shows(tab, status('plain'), 'It is ordered')
      await shows(tab, status('sendonce'), 'It is ordered')
      // Down to the oldest, and up again.
      for (const px of [500, -500]) {
        await tab.waitFor(px => {
          const wire = document.querySelector('.wire .scroll')
          const before = wire?.scrollTop
          wire?.scrollBy(0, px)
          return wire?.scrollTop === before
        }, px)
        await shows(tab, '.wire .scroll', px > 0 ? 'cart 1000' : 'cart 42')
      }
    })
    expect(tasks.length).toBeGreaterThan(100)
    expect(tasks.filter(ms => ms >= LONG_TASK_MS)).toEqual([])
  })

  // Half a minute on a quiet machine: in the long run only.
  const long = process.env.LONG !== undefined
  it.runIf(long)(
    'stays fluent while two hundred carts are ordered, and takes each of them once',
    {
      timeout: CROWD_LIMIT_MS,
    },
    async () => {
      const tab = await openPage(chromium(), `${url()}#scenario=crowd`)
      await shows(tab, '.cases .told', 'Two hundred carts')
      const tasks = await tasksDuring(tab, async () => {
        await tab.click('.cases .play')
        await shows(tab, '.cases .play', 'Stop')
        // Longer than the driver waits for anything: as long as there is one more.
        for (let count = 10; count <= OPERATIONS; count += 10) {
          await tab.waitFor(
            count => Number(document.querySelector('.total .count')?.textContent) >= count,
            count,
          )
        }
        await shows(tab, '.cases .play', 'Play it')
      })
      await ordered(tab, 'sendonce', OPERATIONS)
      expect(await tab.evaluate(() => document.querySelector('.total .charged')?.textContent)).toBe(
        '€ 8,400 charged',
      )
      expect(tasks.length).toBeGreaterThan(100)
      expect(tasks.filter(ms => ms >= LONG_TASK_MS)).toEqual([])
    },
  )
})
