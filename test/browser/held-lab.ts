import type { MockServer, MockServerOptions } from 'sendonce/testing'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { limited } from './driver/limited.ts'
import type { Lab } from './lab.ts'
import { oneLab } from './lab.ts'

/** How long an answer takes that is held; only {@link HeldAnswers.answer} makes that time pass. */
const HELD_MS = 10_000

/** Answers of a server that come when they are told to. */
export interface HeldAnswers {
  /** What the server is to be made with. */
  readonly options: Pick<MockServerOptions, 'now' | 'timer'>
  /** The next order is placed at once; its answer waits for {@link HeldAnswers.answer}. */
  hold(server: Pick<MockServer, 'next'>): void
  /** Resolves when the answer is on its way. */
  answer(): Promise<void>
}

export function heldAnswers(): HeldAnswers {
  let heldMs = 0
  let held: (() => void)[] = []
  let hear = () => {}
  return {
    options: {
      now: () => Date.now() + heldMs,
      timer: (_ms, run) => {
        held.push(run)
        hear()
        return () => {}
      },
    },
    hold(server) {
      held = []
      server.next({ is: 'slow-reply', ms: HELD_MS })
    },
    async answer() {
      if (held.length === 0) {
        const holding = new Promise<void>(resolve => {
          hear = resolve
        })
        await limited(holding, () => 'an answer that is held')
      }
      heldMs += HELD_MS
      for (const run of held) run()
    },
  }
}

/** A laboratory whose server answers when it is told to. */
export interface HeldLab extends Pick<HeldAnswers, 'answer'> {
  readonly lab: () => Lab
  /** The next order is placed at once; its answer waits for `answer`. */
  hold(): void
}

/** Call it once, at the top of a file. */
export function oneHeldLab(server: Pick<MockServerOptions, 'routes'> = {}): HeldLab {
  const { options, hold, answer } = heldAnswers()
  const lab = oneLab({ server: { ...server, ...options } })
  return { lab, hold: () => hold(lab().server), answer }
}

/** Resolves when it is on disk that somebody was told of the success. */
export const noted = (tab: ChromiumTab): Promise<unknown> =>
  tab.waitFor(async () => {
    const opening = indexedDB.open('sendonce')
    const database = await new Promise<IDBDatabase>(resolve => {
      opening.onsuccess = () => resolve(opening.result)
    })
    const [store = ''] = database.objectStoreNames
    const reading = database.transaction(store).objectStore(store).getAll()
    const records = await new Promise<readonly { readonly toldAt?: number }[]>(resolve => {
      reading.onsuccess = () => resolve(reading.result)
    })
    database.close()
    return records.some(({ toldAt }) => toldAt !== undefined)
  })
