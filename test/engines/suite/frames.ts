import { expect, it } from 'vitest'
import type { Browser } from '../../browser/driver/driver.ts'
import type { Lab } from '../../browser/lab.ts'

/** A frame without an origin can store nothing. The lab's server lets every origin call it. */
export function worksInFrames(lab: () => Lab<Browser>): void {
  it.each([
    ['works from memory', 'memory', { state: 'succeeded', durable: false }],
    ['sends nothing where the app refuses that', 'refuse', { state: 'rejected', code: 'storage' }],
  ] as const)('%s in a frame without an origin, which throws', async (_title, policy, expected) => {
    const tab = await lab().newTab()
    const outcome = await tab.evaluate(policy => {
      const frame = document.createElement('iframe')
      frame.sandbox.add('allow-scripts')
      frame.src = location.href
      return new Promise<unknown>(resolve => {
        window.addEventListener('message', ({ data }) => resolve(data), { once: true })
        frame.onload = () => {
          const run = `() => {
            lab.open({ onStorageFailure: '${policy}' })
            return lab.submit({ url: '${location.origin}/api/orders' })
          }`
          frame.contentWindow?.postMessage(run, '*')
        }
        document.body.append(frame)
      })
    }, policy)
    expect(outcome).toMatchObject(expected)
    expect(lab().orders()).toHaveLength(expected.state === 'succeeded' ? 1 : 0)
  })
}
