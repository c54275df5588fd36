import ky from 'ky'
import ky1 from 'ky1'
import type { Client, ClientOptions, Operation, Outcome, SendonceEvent, Snapshot } from 'sendonce'
import * as sendonce from 'sendonce'

declare global {
  interface Window {
    sendonce: typeof sendonce
    ky: typeof ky
    /** The major before: hooks take their arguments one by one. */
    ky1: typeof ky1
    lab: Lab
  }
}

/** What a submit or a snapshot says, in a form that leaves the page. */
export interface Told {
  readonly state: Snapshot<unknown>['state'] | 'rejected'
  /** Why it was rejected. */
  readonly code?: string | undefined
  readonly reason?: string | undefined
  readonly key?: string | undefined
  readonly attempts?: number | undefined
  readonly durable?: boolean | undefined
  readonly here?: boolean | undefined
  readonly from?: string | undefined
  readonly data?: unknown
  readonly nextAttemptAt?: number | undefined
  /** Of the last answer. */
  readonly status?: number | undefined
}

/** What a test may change of the order. */
export interface Given {
  readonly url?: string
  readonly json?: unknown
  readonly signal?: AbortSignal
}

/** The package within reach of a test: `tab.evaluate(() => window.lab.submit())`. */
export class Lab {
  readonly events: SendonceEvent[] = []
  /** How submits and resumes ended, in this order. */
  readonly told: Told[] = []
  /** What was shown of the order, oldest first. */
  readonly shown: Told[] = []
  client!: Client
  order!: Operation<unknown>

  /** The client of this page: Ada's, who hardly waits between two attempts. */
  open({ retry, ...options }: Partial<ClientOptions> = {}): void {
    this.client = sendonce.createClient({
      scope: 'ada',
      onEvent: event => this.events.push(event),
      ...options,
      retry: { baseDelayMs: 20, ...retry },
    })
    this.order = this.client.operation('order')
    this.order.subscribe(() => this.shown.push(this.snapshot()))
  }

  /** Orders a book, or what is given. */
  submit(given: Given = {}): Promise<Told> {
    return this.#tell(this.order.submit({ url: '/api/orders', json: BOOK, ...given }))
  }

  resume(): Promise<Told> {
    return this.#tell(this.order.resume())
  }

  snapshot(): Told {
    return plain(this.order.getSnapshot())
  }

  /** What lies in the database. */
  stored(): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      const opening = indexedDB.open('sendonce')
      opening.onerror = () => reject(opening.error)
      opening.onsuccess = () => {
        const connection = opening.result
        const reading = connection.transaction('operations').objectStore('operations').getAll()
        reading.onerror = () => reject(reading.error)
        reading.onsuccess = () => {
          connection.close()
          resolve(reading.result)
        }
      }
    })
  }

  async #tell(outcome: Promise<Outcome<unknown>>): Promise<Told> {
    const told = await outcome.then(plain, error => {
      if (!sendonce.isSendonceError(error)) throw error
      return { state: 'rejected' as const, code: error.code }
    })
    this.told.push(told)
    return told
  }
}

const BOOK = { item: 'book', amount: 42, address: 'Main Street 1' }

function plain(snapshot: Snapshot<unknown>): Told {
  const { response, ...rest } = { response: undefined, ...snapshot }
  return { ...rest, ...(response ? { status: response.status } : {}) }
}

window.sendonce = sendonce
window.ky = ky
window.ky1 = ky1
window.lab = new Lab()

// In a frame without an origin, where no test can look: its parent says what to do, and is told what came of it.
if (window !== window.parent) {
  window.addEventListener('message', async ({ data }) => {
    const run = new Function(`return (${data})()`)
    window.parent.postMessage(await run().catch(String), '*')
  })
}
