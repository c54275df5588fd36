import type { Start } from './claim.ts'
import { SendonceError } from './errors.ts'
import type { Host } from './host.ts'
import type { Outcome } from './lifecycle.ts'
import { runTurn } from './loop.ts'
import type { Parse } from './outcome.ts'
import { endedOutcome, outcomeOf } from './outcome.ts'
import type { OperationRecord } from './record.ts'
import { isSettled } from './record.ts'
import type { Running, TurnOptions } from './running.ts'
import { createRunning } from './running.ts'
import type { Sight } from './sight.ts'
import type { RecordKey } from './store/store.ts'
import type { Ending, StopReason } from './turn.ts'

/** Lets one turn at a time run of one operation in this page; whoever comes meanwhile joins it, waits or is refused. */
export class Gate {
  readonly #host: Host
  readonly #sight: Sight
  readonly #wakers = new Set<() => void>()
  /** What must be over before another turn begins: the writes of the last one, a discard. */
  #before: Promise<unknown> | undefined
  /** The last one. */
  #discarding: Promise<unknown> | undefined

  constructor(host: Host, sight: Sight) {
    this.#host = host
    this.#sight = sight
  }

  /** Another tab has moved the operation, or the client was closed. */
  wake(): void {
    for (const wake of [...this.#wakers]) wake()
  }

  /** A submit that finds a turn under way joins it, replaces it, or is refused. */
  async meet(
    running: Running,
    scope: string,
    fingerprint: Promise<string>,
    begin: () => Running,
  ): Promise<Running> {
    const { name } = this.#sight
    const isUnderWay = () => this.#sight.running === running
    const ours = await fingerprint
    await this.#discarding
    if (running.asks) await running.over
    // Undefined: there was nothing to resume, or its file could not be read.
    const theirs = await running.fingerprint.catch(() => undefined)
    const { record } = running
    if (theirs && running.scope === scope && !running.asks && !running.signal.aborted) {
      if (theirs === ours) {
        this.#host.emit({ type: 'joined' }, name, record)
        return running
      }
      // Known never to have been executed, and not on its way: simply the new body.
      const replaceable = record && record.ambiguous === 0 && !running.queued
      if (isUnderWay() && !replaceable) {
        throw new SendonceError(
          'payload-changed',
          `"${name}" is under way with another body: wait for its outcome, or give this one an operation of its own.`,
        )
      }
    }
    if (isUnderWay()) running.stop('ended')
    await running.over
    // Whoever waits for its answer to be parsed keeps nobody else waiting.
    this.#sight.end(running)
    // Others may have come first meanwhile.
    const next = this.#sight.running
    return next ? this.meet(next, scope, fingerprint, begin) : begin()
  }

  /** `start` is told when nothing had to be waited for any more, wall clock. */
  begin(options: TurnOptions, start: (begunAt: number) => Promise<Start>): Running {
    const host = this.#host
    const sight = this.#sight
    const running = createRunning(options)
    const at = sight.at(options.scope)
    const before = this.#before
    const shownAt = host.shown()
    const run = async () => {
      // A turn that follows nothing asks for its lock in this very task, while the request is being frozen.
      if (before) await before
      const begun = start(before ? host.platform.now() : options.startedAt)
      // The loop hears of it when it has its lock.
      begun.catch(() => {})
      await runTurn(host, {
        ...options,
        operation: sight.name,
        at,
        shownAt,
        start: begun,
        signal: running.signal,
        show: (record, queued, spent) => {
          // What is settled is shown when it has been read.
          if (record && isSettled(record)) return
          Object.assign(running, { record, queued, spent })
          sight.changed()
        },
        tell: async ending => {
          const told = this.#tell(running, at, ending).catch(error => running.fail(error))
          // What an app makes of an answer may take any time.
          if (!running.parse) await told
        },
        onNews: wake => {
          this.#wakers.add(wake)
          return () => this.#wakers.delete(wake)
        },
      })
    }
    sight.begin(running)
    running.over = run().catch(error => {
      sight.end(running)
      running.fail(error)
      sight.refresh()
    })
    this.#after(running.over)
    return running
  }

  /** Keeps turns back until the operation is given up, or cannot be. */
  discard(discarding: Promise<unknown>): void {
    this.#discarding = discarding.catch(() => {})
    this.#after(this.#discarding)
  }

  /** A caller's own outcome of a turn. */
  async attach(running: Running, signal?: AbortSignal, parse?: Parse): Promise<Outcome<unknown>> {
    const sight = this.#sight
    const ended = await running.attach(signal)
    if (ended) {
      const { ending, outcome } = ended
      return parse === running.parse
        ? outcome
        : outcomeOf(ending, parse, sight.context(ending.record))
    }
    let { record } = running
    // Nothing of it is under way as far as this page knows: another tab may have sent it since.
    if (record?.ambiguous === 0) record = await this.#latest(running, record)
    if (!record || record.ambiguous === 0) {
      throw new SendonceError(
        'aborted',
        `"${this.#sight.name}" had not been sent when it was aborted.`,
      )
    }
    const aborted: OperationRecord = { ...record, phase: { is: 'unknown', reason: 'aborted' } }
    return endedOutcome(aborted, { record: aborted }, sight.context(aborted))
  }

  async #latest({ scope }: Running, record: OperationRecord): Promise<OperationRecord> {
    const found = await this.#sight.find(scope).catch(() => undefined)
    return found?.record?.key === record.key ? found.record : record
  }

  /** The ending of a turn, first to the snapshot, then to those who wait. */
  async #tell(running: Running, at: RecordKey, ending: Ending): Promise<void> {
    const { record } = ending
    const outcome = await outcomeOf(ending, running.parse, this.#sight.context(record))
    if (record?.phase.is === 'succeeded') this.#host.told.tell(at, record)
    const ended: StopReason = 'ended'
    this.#sight.end(running, running.signal.reason === ended ? {} : { record, outcome })
    running.end({ ending, outcome })
    // The last of those who wait: they have gone on before this does.
    await this.attach(running, undefined, running.parse)
  }

  /** Keeps later turns back until `work` is over. */
  #after(work: Promise<unknown>): void {
    const before = Promise.allSettled([this.#before, work]).then(() => {
      if (this.#before === before) this.#before = undefined
    })
    this.#before = before
    this.#host.track(before)
  }
}
