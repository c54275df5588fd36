import type { Mover } from './lifecycle.ts'
import type { OperationRecord } from './record.ts'
import { isSettled, parseRecord } from './record.ts'
import type { Change } from './store/store.ts'
import type { Engine, EventDetail, Turn } from './turn.ts'

/** A turn's hold on its record: what it saw of it last, and what it may write. */
export class Hold {
  readonly engine: Engine
  readonly turn: Turn
  /** The record as this turn last saw it. */
  seen: OperationRecord | undefined
  /** Whether this turn has moved it. */
  ours = false
  /** Attempts of this turn so far that cost one. */
  spent = 0
  /** Writes beside the decision on an attempt, which is not done before them. */
  readonly notes: Promise<unknown>[] = []

  constructor(engine: Engine, turn: Turn) {
    this.engine = engine
    this.turn = turn
  }

  get mover(): Mover {
    const { owner, platform } = this.engine
    return { owner, now: platform.now() }
  }

  look(record: OperationRecord | undefined, queued = false): void {
    this.seen = record
    this.turn.show(record, queued, this.spent)
  }

  emit(event: EventDetail): void {
    this.engine.emit(event, this.turn.operation, this.seen)
  }

  /** Writes down what an attempt has shown so far; nobody waits for it. */
  note(record: OperationRecord, changes: Partial<OperationRecord>): void {
    this.notes.push(this.write(record, theirs => ({ ...theirs, ...changes })))
  }

  /** Other tabs may look. */
  post(): void {
    const { scope, operation } = this.turn
    this.engine.broadcast.post({ scope, operation })
  }

  change<R>(decide: (old: unknown) => Change<R>, relaxed = false): Promise<R> {
    const { at, onStorageFailure } = this.turn
    return this.engine.records.change(at, decide, {
      onStorageFailure,
      mine: this.ours ? this.seen : undefined,
      durability: relaxed ? 'relaxed' : undefined,
    })
  }

  /**
   * Writes, or deletes, what `move` makes of the record, if it is still the one that was claimed (rules 3 and 4). A
   * success may be written over another attempt of the same key. Resolves with whether it was.
   */
  async write(
    base: OperationRecord,
    move: (record: OperationRecord) => OperationRecord | undefined,
    { success = false, strictly = false }: { success?: boolean; strictly?: boolean } = {},
  ): Promise<boolean> {
    const held = await this.change<boolean>(old => {
      const theirs = parseRecord(old).record
      const holds =
        theirs?.key === base.key &&
        (success
          ? theirs.phase.is !== 'succeeded'
          : theirs.attempt === base.attempt && !isSettled(theirs))
      if (!holds) return { result: false }
      const keep = move(theirs)
      return keep ? { keep, result: true } : { drop: true, result: true }
    }, !strictly)
    if (held) this.post()
    return held
  }
}
