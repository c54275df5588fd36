import type { Client } from '../../../src/client.ts'
import type { SendonceError } from '../../../src/errors.ts'
import type { Outcome, Snapshot } from '../../../src/lifecycle.ts'
import type { RecordKey } from '../../../src/store/store.ts'
import type { Page } from '../../support/world/page.ts'
import type { Household, OperationName } from './household.ts'
import { OPERATIONS } from './household.ts'

interface Call {
  readonly what: string
  /** How it ended; undefined while it has not. */
  ended: string | undefined
}

/** A page, its client, and what became of every call. */
export class Tab {
  readonly page: Page
  readonly client: Client
  readonly calls: Call[] = []
  readonly #house: Household
  readonly #aborts: AbortController[] = []

  constructor(page: Page, client: Client, house: Household) {
    this.page = page
    this.client = client
    this.#house = house
    for (const operation of OPERATIONS) {
      const handle = client.operation(operation)
      handle.subscribe(() => this.#show(handle.getSnapshot()))
    }
  }

  /** Returns the body as the caller still holds it. */
  submit(operation: OperationName = 'checkout', item = 'book'): { amount: number } {
    const house = this.#house
    const at = house.place(operation)
    if (at) house.submitted(this.page, at)
    const abort = new AbortController()
    this.#aborts.push(abort)
    const request = { ...house.request(operation, item), signal: abort.signal }
    this.#call(`submit ${operation} ${item}`, async () => [
      await this.client.submit(operation, request),
    ])
    return request.json
  }

  /** Ends the waiting of whoever submitted last. */
  abort(): void {
    this.#aborts.pop()?.abort()
  }

  resume(operation: OperationName = 'checkout'): void {
    this.#call(`resume ${operation}`, async () => [await this.client.operation(operation).resume()])
  }

  resumeAll(): void {
    this.#call('resumeAll', () => this.client.resumeAll())
  }

  recover(operation: OperationName = 'checkout'): void {
    this.#call(`recover ${operation}`, async () => [
      await this.client.operation(operation).recover(),
    ])
  }

  /** Fetches a token ahead. That there is none to be had says nothing of the operation. */
  prepare(operation: OperationName = 'checkout'): void {
    this.#call(`prepare ${operation}`, async () => {
      await this.client
        .operation(operation)
        .prepare()
        .catch(() => {})
      return []
    })
  }

  discard(operation: OperationName = 'checkout'): void {
    this.#house.witness.discarding(this.page, operation)
    this.#call(`discard ${operation}`, async () => {
      await this.client.operation(operation).discard()
      return []
    })
  }

  forget(): void {
    const [, scope] = this.#house.place('') ?? []
    if (scope) this.#house.witness.forgetting(this.page, scope)
    this.#call('forget', async () => {
      await this.client.forget()
      return []
    })
  }

  /** What the person in front of it sees now. */
  look(): void {
    if (this.page.life !== 'running') return
    for (const operation of OPERATIONS) this.#show(this.client.operation(operation).getSnapshot())
  }

  #show(snapshot: Snapshot<unknown>): void {
    this.#house.shown(this.page, snapshot)
  }

  #call(what: string, run: () => Promise<readonly Outcome<unknown>[]>): void {
    const house = this.#house
    const call: Call = { what, ended: undefined }
    this.calls.push(call)
    const [, operation = ''] = what.split(' ')
    const placeOf = (name: string): RecordKey | undefined => at && [at[0], at[1], name]
    const at = house.place(operation)
    run().then(
      outcomes => {
        for (const outcome of outcomes) {
          const place = placeOf(outcome.operation)
          if (place) house.told(this.page, place, outcome)
        }
        call.ended = outcomes.map(nameOf).join() || 'nothing'
      },
      (error: SendonceError) => {
        if (!error.code) throw error
        call.ended = error.code
        // Whoever leaves while others wait says nothing of the operation.
        const others = this.calls.some(({ what, ended }) => !ended && what.includes(operation))
        if (at && !(error.code === 'aborted' && others)) {
          house.witness.rejected(this.page, at, error.code)
        }
      },
    )
  }
}

/** State and reason: `unknown: attempts`. */
export function nameOf(outcome: { readonly state: string; readonly reason?: string }): string {
  return 'reason' in outcome ? `${outcome.state}: ${outcome.reason}` : outcome.state
}
