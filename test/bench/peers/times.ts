import { shuffled } from '../shuffled.ts'
import type { Sample } from './contract.ts'
import { orderFor } from './page.ts'

/** Each arm is a page of its own in a frame of this one: one process, one thread, one clock for all. */
const frames = new Map<string, Window>()
/** Above those of every other measure. */
let carts = 1_000_000

window.times = async (arms, rounds, pauseMs) => {
  for (const arm of arms) if (!frames.has(arm)) frames.set(arm, await open(arm))
  const samples: Sample[] = []
  for (let round = 0; round < rounds; round += 1) {
    for (const arm of shuffled(arms)) {
      const { shop } = frames.get(arm) as Window
      carts += 1
      const order = orderFor(carts)
      const fromMs = performance.now()
      await shop.send(order)
      samples.push({ arm, cart: carts, fromMs, tookMs: performance.now() - fromMs })
      // What is written after the answer is not to be paid for by the next arm.
      await shop.idle()
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
  return samples
}

async function open(arm: string): Promise<Window> {
  const frame = document.createElement('iframe')
  frame.src = `/${arm}/`
  document.body.append(frame)
  for (;;) {
    await new Promise(resolve => setTimeout(resolve, 20))
    if (frame.contentWindow?.shop) return frame.contentWindow
  }
}
