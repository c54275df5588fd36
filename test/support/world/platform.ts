import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { Platform } from '../../../src/platform.ts'
import { fetchOver } from './network.ts'
import type { Machine, Page } from './page.ts'

/** The platform as a page of this world sees it. */
export function platformOf(
  page: Page,
  machine: Machine,
  random: () => number,
  secure: boolean,
): Platform {
  const { agenda, locks, ears } = machine
  const bornMs = agenda.elapsedMs
  return {
    now: () => machine.now(),
    monotonic: () => agenda.elapsedMs - bornMs,
    random,
    timer: (ms, run) => agenda.add(page, 'timer', run, ms),
    fetch: fetchOver({
      connected: () => page.connected,
      pass: kind => page.pass(kind),
      work: promise => machine.work(promise),
      server: () => machine.server(),
    }),
    tryLock: secure
      ? async name => {
          const hold = await page.ask('lock', 'locked', () => locks.take(name, page))
          // Granted on the way into the back-forward cache, and let go there before the page heard of it.
          return hold?.held ? hold.release : undefined
        }
      : undefined,
    heldLocks: () => page.ask('lock', 'locked', () => locks.names()),
    channel(name, hear) {
      const ear = { page, name, hear }
      if (page.life !== 'dead') ears.add(ear)
      return {
        post(message) {
          if (page.life === 'dead' || !ears.has(ear)) return
          for (const other of ears) {
            if (other.name !== name || other.page === page || other.page.life === 'cached') continue
            const copy: unknown = structuredClone(message)
            agenda.add(other.page, 'hear', () => {
              if (ears.has(other)) other.hear(copy)
            })
          }
        },
        close: () => ears.delete(ear),
      }
    },
    online: () => page.onlineHint,
    visible: () => page.visible,
    on: (event, hear) => page.on(event, hear),
    notes: {
      get: name => machine.notes.get(name),
      set(name, value) {
        if (page.life === 'dead') return
        if (value === undefined) machine.notes.delete(name)
        else machine.notes.set(name, value)
      },
    },
    subtle: secure
      ? {
          async digest(_, bytes) {
            const hash = createHash('sha256').update(bytes as Uint8Array)
            const { buffer } = new Uint8Array(hash.digest())
            await page.pass('digest')
            return buffer
          },
          generateKey: async () => ({ hmac: randomBytes(32) }) as never,
          async sign(_, key, bytes) {
            const secret = (key as object as { hmac: Uint8Array }).hmac
            const hash = createHmac('sha256', secret).update(bytes as Uint8Array)
            const { buffer } = new Uint8Array(hash.digest())
            await page.pass('digest')
            return buffer
          },
        }
      : undefined,
  }
}
