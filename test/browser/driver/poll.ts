import { setTimeout as pause } from 'node:timers/promises'
import type { Tab } from './driver.ts'

/** More than any wait of a test should need on two busy cores; below the limit of a test. */
const WAIT_LIMIT_MS = 20_000

/** How often the page is asked: a question takes about 1 ms, and every 10 ms cost a test 5 to 10 % more (measured). */
const WAIT_POLL_MS = 50

/** The `waitFor` of a tab. */
export async function pollUntil<Args extends unknown[], Result>(
  tab: Pick<Tab, 'evaluate'>,
  check: (...args: Args) => Result,
  args: Args,
): Promise<Awaited<Result>> {
  const giveUpAt = performance.now() + WAIT_LIMIT_MS
  while (performance.now() < giveUpAt) {
    const value = await tab.evaluate(check, ...args).catch(unlessNavigating)
    if (value) return value
    await pause(WAIT_POLL_MS)
  }
  const [at, shown] = await tab.evaluate(() => [location.href, document.body?.textContent] as const)
  const wanted = `${check} with ${JSON.stringify(args)}`
  throw new Error(`Waited ${WAIT_LIMIT_MS} ms in vain at ${at} for ${wanted}. Shown:\n${shown}`)
}

/** A page that is being replaced has no answer yet; any other rejection is the check's own. */
function unlessNavigating(error: unknown): undefined {
  if (!/context|detached/i.test(String(error))) throw error
}
