import type { Arrival, Tab } from './driver.ts'

/**
 * Waits for the page before, where the driver says nothing of the back-forward cache: a page that comes from there is
 * older than the one that was left, and a page that is loaded anew is younger.
 */
export async function arriveBy(tab: Tab, step: () => void | Promise<void>): Promise<Arrival> {
  const left = await tab.evaluate(() => performance.timeOrigin)
  await step()
  const arrived = await tab.waitFor(
    left =>
      // The blank page of a new process may come in between.
      location.protocol !== 'about:' &&
      document.readyState === 'complete' &&
      performance.timeOrigin !== left &&
      performance.timeOrigin,
    left,
  )
  return { fromCache: Number(arrived) < left }
}
