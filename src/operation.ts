import { defaultParse, toResponse } from './answer.ts'
import type { Bound, Fresh } from './claim.ts'
import { age, stubOf } from './collect.ts'
import type { RetryPolicy } from './decide.ts'
import { SendonceError } from './errors.ts'
import { checkKey, mintKey } from './key.ts'
import type { Idle, Outcome, Paused, Refused, Snapshot, Succeeded, Unknown } from './lifecycle.ts'
import { knownOf, unsettledOf } from './lifecycle.ts'
import type { Ending, Engine, StopReason } from './loop.ts'
import { lockName, runTurn } from './loop.ts'
import type { ServerProfile } from './profiles/profile.ts'
import type { Found, FrozenRequest, OperationRecord } from './record.ts'
import { isSettled, parseRecord } from './record.ts'
import type { FreezeResult, SubmitRequest } from './request.ts'
import { freezeRequest } from './request.ts'
import type { Change, RecordKey } from './store/store.ts'
import { checkProfile, policyOf } from './validate.ts'

/** One operation of a client: what a form, a button or a hook holds on to. */
export interface Operation<T> {
  readonly name: string
  /**
   * Sends the request once. Resolves with what is known when the turn ends; rejects with a {@link SendonceError} only
   * where nothing was sent (`invalid-argument`, `payload-changed`, `body`, `storage`, `not-sent`, `aborted`, `closed`).
   */
  submit(request: SubmitRequest<T>): Promise<Outcome<T>>
  /** Like `submit`, but everything but a success rejects: `refused`, `paused`, `unknown-outcome` with the `outcome`. */
  submitOrThrow(request: SubmitRequest<T>): Promise<Succeeded<T>>
  /** Another turn with the frozen request. Rejects with `invalid-argument` where there is nothing to resume. */
  resume(): Promise<Outcome<T>>
  /**
   * The app's word that this one is given up, so that the next submit gets a new key. Rejects with `in-flight` while an
   * attempt is on the wire, here or in another tab.
   */
  discard(): Promise<void>
  /** A stable reference until something changes. Never throws, never reads storage. */
  getSnapshot(): Snapshot<T>
  /** Calls back when the snapshot changes, also by another tab. Returns its own stop. */
  subscribe(listener: () => void): () => void
  /** Says that a person has seen the outcome that was found stored (`news`), so that no other page shows it as new. */
  acknowledge(): void
}

/** Thrown by `submitOrThrow`: what is known, where it is not a success. */
export class OutcomeError extends SendonceError {
  readonly outcome: Refused | Paused | Unknown

  constructor(outcome: Refused | Paused | Unknown) {
    super(
      outcome.state === 'unknown' ? 'unknown-outcome' : outcome.state,
      outcome.state === 'unknown'
        ? `Nobody knows whether "${outcome.operation}" happened (${outcome.reason}).`
        : `"${outcome.operation}" was ${outcome.state}.`,
    )
    this.outcome = outcome
  }
}

/** What operations ask of their client beside what loops do. */
export interface Host extends Engine {
  readonly name: string
  readonly defaultProfile: ServerProfile
  readonly retry: Partial<RetryPolicy> | undefined
  readonly onStorageFailure: 'memory' | 'refuse'
  readonly joinMs: number
  register(profile: ServerProfile): void
  closed(): boolean
  /** When this page was last shown to a person, wall clock. */
  shownAt(): number
  /** Counts as going on until it settles. */
  track(work: Promise<unknown>): void
}

/** Above this a body is not stored, and a resume after a reload needs the same submit again. */
const MAX_KEPT_BYTES = 10 * 1024 * 1024

/** Long enough for the page to have painted what it was told; a page that dies before is told again. */
const TOLD_AFTER_MS = 100

/** How often it is looked whether another tab that is at the operation still lives. */
const LOOK_MS = 1_000

/** A timer of the tab that waits may be late by this before the tab counts as gone; only where there are no locks. */
const LATE_MS = 5_000

type Parse = (response: Response) => unknown

/** A turn under way in this page. */
interface Active {
  readonly scope: string
  readonly startedAt: number
  readonly fingerprint: Promise<string>
  readonly parse: Parse | undefined
  /** How it ended, and what the first caller's `parse` made of it. */
  readonly ended: Promise<{ readonly ending: Ending; readonly outcome: Outcome<unknown> }>
  /** Everything is written. */
  readonly over: Promise<void>
  callers: number
  stop(reason: StopReason): void
}

/** What this page last saw. */
type Seen =
  | { readonly is: 'nothing' }
  | { readonly is: 'record'; readonly record: OperationRecord; readonly ending?: Ending }
  | {
      readonly is: 'outcome'
      readonly outcome: Outcome<unknown>
      readonly record?: OperationRecord
    }

/** The name of the Web Lock that a document holds while it lives. */
export function presenceName(owner: string): string {
  return `sendonce:page:${owner}`
}

export class Handle implements Operation<unknown> {
  readonly name: string
  readonly #host: Host
  readonly #listeners = new Set<() => void>()
  #scope: string | null
  #seen: Seen = { is: 'nothing' }
  #read = false
  #queued = false
  #alive = false
  #active: Active | undefined
  /** What must be over before another turn begins: the writes of the last one, a discard. */
  #before: Promise<unknown> = Promise.resolve()
  #wakers = new Set<() => void>()
  #told: { readonly key: string; readonly at: number } | undefined
  #reads = 0
  #stopLooking: (() => void) | undefined
  #snapshot: Snapshot<unknown> | undefined

  constructor(host: Host, name: string) {
    this.#host = host
    this.name = name
    this.#scope = host.scope()
  }

  submit(request: SubmitRequest): Promise<Outcome<unknown>> {
    try {
      return this.#submit(request)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async submitOrThrow(request: SubmitRequest): Promise<Succeeded<unknown>> {
    const outcome = await this.submit(request)
    if (outcome.state === 'succeeded') return outcome
    throw new OutcomeError(outcome)
  }

  async resume(): Promise<Outcome<unknown>> {
    const host = this.#host
    if (host.closed()) throw closedError(this.name)
    if (this.#active) return this.#attach(this.#active, undefined, undefined)
    const scope = host.scope()
    if (scope === null) return this.#signedOut()
    const found = await this.#find(scope)
    if (this.#active) return this.#attach(this.#active, undefined, undefined)
    if (found.is !== 'record') {
      throw new SendonceError('invalid-argument', `There is nothing to resume of "${this.name}".`)
    }
    const { record } = found
    host.emit({ type: 'resumed' }, this.name, record)
    const start: Bound = { is: 'bound', key: record.key }
    const active = this.#begin(scope, {
      start: async () => start,
      fingerprint: Promise.resolve(record.request.fingerprint),
      bytes: () => undefined,
      policy: policyOf(host.retry),
      onStorageFailure: host.onStorageFailure,
      parse: undefined,
    })
    return this.#attach(active, undefined, undefined)
  }

  discard(): Promise<void> {
    const host = this.#host
    const scope = host.scope()
    if (scope === null) return Promise.resolve()
    const at = this.#at(scope)
    const discarding = (async () => {
      const lock = await host.platform.tryLock?.(lockName(at))
      try {
        const now = host.platform.now()
        const change = (old: unknown): Change<OperationRecord | 'in-flight' | undefined> => {
          const found = parseRecord(old)
          if (found.is === 'unreadable') return { drop: true, result: undefined }
          if (found.is !== 'record') return { result: undefined }
          const { record } = found
          const { phase } = record
          const onTheWire =
            phase.is === 'sending' && now < phase.leaseUntil && !(lock && phase.locked)
          return onTheWire
            ? { result: 'in-flight' }
            : { keep: stubOf(record, 'discarded', now), result: record }
        }
        const { onStorageFailure } = host
        const discarded = await host.records.change(at, change, { onStorageFailure })
        if (discarded === 'in-flight') {
          throw new SendonceError(
            'in-flight',
            `"${this.name}" is on its way and cannot be discarded now: wait for its outcome.`,
          )
        }
        this.#active?.stop('ended')
        this.#see({ is: 'nothing' })
        if (!discarded) return
        host.emit({ type: 'discarded' }, this.name, discarded)
        host.broadcast.post({ scope, operation: this.name })
      } finally {
        lock?.()
      }
    })()
    this.#after(discarding)
    return discarding
  }

  getSnapshot(): Snapshot<unknown> {
    const scope = this.#host.scope()
    if (scope !== this.#scope) {
      // Somebody else is signed in now: nothing of the one before is shown.
      this.#scope = scope
      this.#seen = { is: 'nothing' }
      this.#read = false
      this.#snapshot = undefined
      queueMicrotask(() => this.refresh())
    }
    this.#snapshot ??= this.#look()
    return this.#snapshot
  }

  subscribe(listener: () => void): () => void {
    // A function of its own: the same listener may subscribe twice.
    const hear = () => listener()
    this.#listeners.add(hear)
    this.refresh()
    return () => {
      this.#listeners.delete(hear)
      if (this.#listeners.size === 0) this.#stopLooking?.()
    }
  }

  acknowledge(): void {
    const { record } = { record: undefined, ...this.#seen }
    if (record && this.#scope !== null) this.#markTold(this.#at(this.#scope), record)
  }

  /** Reads the record again: another tab has moved it, or this page comes back from where it could not hear. */
  refresh(): void {
    const scope = this.#host.scope()
    const read = ++this.#reads
    const work = async () => {
      const found: Found = scope === null ? { is: 'nothing' } : await this.#find(scope)
      const record = found.is === 'record' ? found.record : undefined
      const alive = record !== undefined && (await this.#lives(record))
      const seen = await this.#seenOf(found)
      if (read !== this.#reads || this.#active || scope !== this.#host.scope()) return
      this.#scope = scope
      this.#read = true
      this.#alive = alive
      this.#see(seen)
    }
    this.#host.track(
      work().catch(() => {
        this.#read = true
        this.#changed()
      }),
    )
  }

  /** Another tab has moved the operation. */
  hear(): void {
    for (const wake of [...this.#wakers]) wake()
    if (!this.#active) this.refresh()
  }

  /** The scope has signed out, here or in another tab. */
  forget(scope: string): void {
    if (this.#active?.scope === scope) this.#active.stop('ended')
    if (this.#scope === scope) this.#see({ is: 'nothing' })
  }

  /** What can be seen of a record that a list has found. */
  async show(record: OperationRecord): Promise<Snapshot<unknown>> {
    if (this.#active) return this.getSnapshot()
    this.#alive = await this.#lives(record)
    this.#read = true
    this.#see({ is: 'record', record })
    return this.getSnapshot()
  }

  #at(scope: string): RecordKey {
    return [this.#host.name, scope, this.name]
  }

  async #find(scope: string): Promise<Found> {
    const { records, platform, keepSettledMs } = this.#host
    return age(parseRecord(await records.read(this.#at(scope))), platform.now(), keepSettledMs)
  }

  /** The gate: synchronous until a turn is under way, whatever the UI knows. */
  #submit(request: SubmitRequest): Promise<Outcome<unknown>> {
    const host = this.#host
    const { signal, parse } = request
    if (host.closed()) throw closedError(this.name)
    const profile = request.profile ?? host.defaultProfile
    if (request.profile) checkProfile(profile)
    host.register(profile)
    const policy = policyOf(host.retry, request.retry)
    const key = request.key ?? profile.key?.mint?.() ?? mintKey()
    if (profile.key) checkKey(key, profile.key)
    if (signal?.aborted) {
      throw new SendonceError('aborted', `"${this.name}" was submitted with an aborted signal.`)
    }
    const frozen = freezeRequest(request, host.platform.sha256)
    frozen.ready.catch(() => {})
    const scope = host.scope()
    if (scope === null) return Promise.resolve(this.#signedOut())

    const begin = (): Promise<Outcome<unknown>> => {
      let bytes: Uint8Array<ArrayBuffer> | undefined
      const calledAt = host.platform.now()
      const told = this.#told && {
        key: this.#told.key,
        agoMs: host.platform.monotonic() - this.#told.at,
      }
      const start = async (waitedUntil: number): Promise<Fresh> => {
        const ready = await frozen.ready
        bytes = ready.bytes
        return {
          is: 'fresh',
          key,
          ...(profile.key ? { place: profile.key.place } : {}),
          profile: profile.id,
          ttlMs: profile.ttlMs,
          failureKey: profile.failureKey,
          request: requestOf(frozen, ready, request.sensitive === true),
          once: request.once === true,
          sensitive: request.sensitive === true,
          calledAt: Math.max(calledAt, waitedUntil),
          shownAt: host.shownAt(),
          told,
          joinMs: host.joinMs,
        }
      }
      const active = this.#begin(scope, {
        start,
        fingerprint: frozen.ready.then(ready => ready.fingerprint),
        bytes: () => bytes,
        policy,
        onStorageFailure: request.onStorageFailure ?? host.onStorageFailure,
        parse,
      })
      return this.#attach(active, signal, parse)
    }

    const active = this.#active
    return active ? this.#meet(active, frozen, scope, begin, signal, parse) : begin()
  }

  /** A second submit while a turn is under way: joins it, replaces it, or is refused. */
  async #meet(
    active: Active,
    frozen: FreezeResult,
    scope: string,
    begin: () => Promise<Outcome<unknown>>,
    signal: AbortSignal | undefined,
    parse: Parse | undefined,
  ): Promise<Outcome<unknown>> {
    const ready = await frozen.ready
    const theirs = await active.fingerprint.catch(() => undefined)
    const others = active.scope !== scope
    if (!others && theirs === ready.fingerprint) {
      const record = this.#seen.is === 'record' ? this.#seen.record : undefined
      this.#host.emit({ type: 'joined' }, this.name, record)
      return this.#attach(active, signal, parse)
    }
    if (this.#active === active && !others && !this.#replaceable()) {
      throw new SendonceError(
        'payload-changed',
        `"${this.name}" is under way with another body: wait for its outcome, or give this one its own operation.`,
      )
    }
    if (this.#active === active) active.stop('ended')
    await active.over
    // Others may have come first while this one waited.
    return this.#active ? this.#meet(this.#active, frozen, scope, begin, signal, parse) : begin()
  }

  /** Whether what is under way is known never to have been executed, and not on its way now. */
  #replaceable(): boolean {
    const { record } = { record: undefined, ...this.#seen }
    return record !== undefined && record.ambiguous === 0 && !this.#queued
  }

  #begin(
    scope: string,
    options: {
      readonly start: (waitedUntil: number) => Promise<Fresh | Bound>
      readonly fingerprint: Promise<string>
      readonly bytes: () => Uint8Array<ArrayBuffer> | undefined
      readonly policy: RetryPolicy
      readonly onStorageFailure: 'memory' | 'refuse'
      readonly parse: Parse | undefined
    },
  ): Active {
    const host = this.#host
    const at = this.#at(scope)
    const controller = new AbortController()
    const { promise: ended, resolve, reject } = deferred<Awaited<Active['ended']>>()
    const before = this.#before
    const idle = this.#idle
    options.fingerprint.catch(() => {})
    const run = async () => {
      // A turn that follows nothing begins in the same task: the lock is asked for while the request is frozen.
      if (!idle) await before
      await runTurn(host, {
        operation: this.name,
        scope,
        at,
        start: options.start(idle ? 0 : host.platform.now()),
        bytes: options.bytes,
        policy: options.policy,
        onStorageFailure: options.onStorageFailure,
        signal: controller.signal,
        closed: host.closed,
        show: (record, queued) => {
          if (this.#active !== active) return
          this.#queued = queued
          if (!record || !isSettled(record))
            this.#see(record ? { is: 'record', record } : { is: 'nothing' })
        },
        tell: ending => {
          const { record } = ending
          const told = this.#conclude(ending, options.parse).then(outcome => {
            if (record?.phase.is === 'succeeded') {
              this.#told = { key: record.key, at: host.platform.monotonic() }
              host.platform.timer(TOLD_AFTER_MS, () => this.#markTold(at, record))
            }
            if (this.#active === active) {
              const settled = record && isSettled(record)
              this.#seen =
                record && !settled
                  ? { is: 'record', record, ending }
                  : { is: 'outcome', outcome, ...(record ? { record } : {}) }
            }
            this.#release(active)
            resolve({ ending, outcome })
          })
          told.catch(reject)
        },
        onNews: wake => {
          this.#wakers.add(wake)
          return () => this.#wakers.delete(wake)
        },
      })
    }
    const active: Active = {
      scope,
      startedAt: host.platform.now(),
      fingerprint: options.fingerprint,
      parse: options.parse,
      ended,
      callers: 0,
      stop: reason => controller.abort(reason),
      over: Promise.resolve(),
    }
    this.#active = active
    this.#scope = scope
    this.#reads += 1
    this.#queued = false
    if (this.#seen.is === 'outcome') this.#seen = { is: 'nothing' }
    const over = run().then(
      () => {},
      error => {
        this.#release(active)
        reject(error)
        this.refresh()
      },
    )
    ended.catch(() => {})
    Object.assign(active, { over })
    this.#after(over)
    this.#changed()
    return active
  }

  /** Whether nothing has to be waited for. */
  #idle = true

  /** Keeps later turns back until `work` is over. */
  #after(work: Promise<unknown>): void {
    this.#idle = false
    const both = Promise.allSettled([this.#before, work]).then(() => {
      if (this.#before === both) this.#idle = true
    })
    this.#before = both
    this.#host.track(both)
  }

  #release(active: Active): void {
    if (this.#active !== active) return
    this.#active = undefined
    this.#queued = false
    this.#changed()
  }

  /** A caller's own promise for the ending of a turn. */
  async #attach(
    active: Active,
    signal: AbortSignal | undefined,
    parse: Parse | undefined,
  ): Promise<Outcome<unknown>> {
    active.callers += 1
    let left = false
    const leave = () => {
      left = true
      active.callers -= 1
      if (active.callers === 0) active.stop('aborted')
      else detached.resolve(undefined)
    }
    const detached = deferred<undefined>()
    signal?.addEventListener('abort', leave, { once: true })
    try {
      const done = await Promise.race([active.ended, detached.promise])
      if (done)
        return active.parse === parse ? done.outcome : await this.#conclude(done.ending, parse)
      const { record } = { record: undefined, ...this.#seen }
      if (!record || record.ambiguous === 0) {
        throw new SendonceError('aborted', `"${this.name}" had not been sent when it was aborted.`)
      }
      return this.#unsettled({ ...record, phase: { is: 'unknown', reason: 'aborted' } }, undefined)
    } finally {
      signal?.removeEventListener('abort', leave)
      if (!left) active.callers -= 1
    }
  }

  /** The outcome of an ending, as a caller's `parse` reads it. */
  async #conclude(ending: Ending, parse: Parse | undefined): Promise<Outcome<unknown>> {
    const { record } = ending
    if (!record) return this.#signedOut()
    return isSettled(record)
      ? this.#settled(record, ending, parse)
      : this.#unsettled(record, ending)
  }

  #signedOut(): Paused {
    const { name, platform } = { name: this.name, platform: this.#host.platform }
    return {
      operation: name,
      state: 'paused',
      reason: 'scope',
      key: undefined,
      attempts: 0,
      startedAt: platform.now(),
      durable: false,
    }
  }

  #known(record: OperationRecord) {
    const scope = this.#scope ?? ''
    return knownOf(record, {
      operation: this.name,
      durable: this.#host.records.durable(this.#at(scope)),
    })
  }

  async #settled(
    record: OperationRecord,
    ending: Partial<Ending>,
    parse: Parse | undefined,
  ): Promise<Succeeded<unknown> | Refused> {
    const { phase } = record
    if (phase.is !== 'succeeded' && phase.is !== 'refused') throw new TypeError(phase.is)
    const answer = ending.answer ?? phase.answer
    const response = toResponse(answer)
    const data = this.#host.profile(record.profile)?.data
    const known = this.#known(record)
    if (phase.is === 'refused') {
      const read = await defaultParse(response.clone(), data).catch(() => undefined)
      return { ...known, state: 'refused', response, data: read }
    }
    const bodyLost = phase.bodyLost && !ending.answer?.body
    const outcome = {
      ...known,
      state: 'succeeded' as const,
      response,
      from: ending.stored ? ('store' as const) : phase.from,
      bodyLost,
      news: ending.stored === true && record.toldAt === undefined,
    }
    if (bodyLost) return { ...outcome, data: undefined }
    try {
      const copy = response.clone()
      return { ...outcome, data: parse ? await parse(copy) : await defaultParse(copy, data) }
    } catch (parseError) {
      return { ...outcome, data: undefined, parseError }
    }
  }

  async #seenOf(found: Found): Promise<Seen> {
    if (found.is === 'record') {
      const { record } = found
      if (!isSettled(record)) return { is: 'record', record }
      if (this.#seen.is === 'outcome' && this.#seen.record?.key === record.key) {
        return { ...this.#seen, record }
      }
      return {
        is: 'outcome',
        outcome: await this.#settled(record, { stored: true }, undefined),
        record,
      }
    }
    if (found.is !== 'unreadable') return { is: 'nothing' }
    const outcome: Unknown = {
      operation: this.name,
      key: undefined,
      attempts: 0,
      startedAt: this.#host.platform.now(),
      durable: true,
      state: 'unknown',
      reason: 'unreadable',
      resumable: false,
      recoverable: false,
    }
    return { is: 'outcome', outcome }
  }

  #unsettled(record: OperationRecord, ending: Ending | undefined): Paused | Unknown {
    const { answer, cause } = ending ?? {}
    const snapshot = this.#view(record, false)
    if (snapshot.state !== 'paused' && snapshot.state !== 'unknown') {
      throw new TypeError(`A turn cannot end as ${snapshot.state}.`)
    }
    return {
      ...snapshot,
      ...(answer ? { response: toResponse(answer) } : {}),
      ...(cause === undefined ? {} : { cause }),
    }
  }

  #view(record: OperationRecord, here: boolean) {
    const { phase } = record
    if (phase.is === 'succeeded' || phase.is === 'refused') throw new TypeError(phase.is)
    const profile = this.#host.profile(record.profile)
    return unsettledOf(record, phase, {
      operation: this.name,
      durable: this.#known(record).durable,
      here,
      alive: !here && this.#alive,
      queued: this.#queued,
      orphaned: profile === undefined,
      resumable:
        record.request.body.kept &&
        (profile?.guarantee === 'replay' || profile?.guarantee === 'reject') &&
        !(phase.is === 'unknown' && phase.reason === 'key-expired'),
    })
  }

  #look(): Snapshot<unknown> {
    const active = this.#active
    const seen = this.#seen
    if (seen.is === 'record') {
      return active
        ? this.#view(seen.record, true)
        : seen.ending
          ? this.#unsettled(seen.record, seen.ending)
          : this.#view(seen.record, false)
    }
    if (active) {
      return {
        operation: this.name,
        state: 'sending',
        here: true,
        key: undefined,
        attempts: 0,
        startedAt: active.startedAt,
        durable: false,
      }
    }
    if (seen.is === 'outcome') return seen.outcome
    return { state: 'idle', operation: this.name, read: this.#read } satisfies Idle
  }

  #see(seen: Seen): void {
    this.#seen = seen
    this.#changed()
  }

  #changed(): void {
    this.#snapshot = undefined
    for (const listener of [...this.#listeners]) listener()
    this.#stopLooking?.()
    this.#stopLooking = undefined
    const busy = this.#seen.is === 'record' && !this.#active && this.#alive
    if (busy && this.#listeners.size > 0) {
      this.#stopLooking = this.#host.platform.timer(LOOK_MS, () => this.refresh())
    }
  }

  /** Whether whoever is at the operation lives. A document that is gone holds no lock; a frozen one does. */
  async #lives(record: OperationRecord): Promise<boolean> {
    const { phase } = record
    const { platform, owner } = this.#host
    if (phase.is !== 'sending' && phase.is !== 'waiting') return false
    if (phase.owner === owner) return false
    const now = platform.now()
    if (phase.is === 'sending' && now >= phase.leaseUntil) return false
    if (phase.is === 'sending' && !phase.locked) return true
    if (!platform.tryLock) return phase.is === 'sending' || now < phase.nextAttemptAt + LATE_MS
    return (await platform.heldLocks()).has(presenceName(phase.owner))
  }

  #markTold(at: RecordKey, record: OperationRecord): void {
    const { records, platform, onStorageFailure } = this.#host
    if (record.toldAt !== undefined) return
    const change = (old: unknown): Change<void> => {
      const found = parseRecord(old)
      return found.is === 'record' &&
        found.record.key === record.key &&
        found.record.phase.is === 'succeeded' &&
        found.record.toldAt === undefined
        ? { keep: { ...found.record, toldAt: platform.now() }, result: undefined }
        : { result: undefined }
    }
    const written = records.change(at, change, {
      onStorageFailure,
      mine: record,
      durability: 'relaxed',
    })
    this.#host.track(written.catch(() => {}))
  }
}

function requestOf(
  frozen: FreezeResult,
  ready: Awaited<FreezeResult['ready']>,
  sensitive: boolean,
): FrozenRequest {
  const { bytes, headers, fingerprint } = ready
  const kept = !bytes || (!sensitive && bytes.length <= MAX_KEPT_BYTES)
  return {
    method: frozen.method,
    url: frozen.url,
    headers,
    fingerprint,
    body: kept ? { kept, ...(bytes ? { bytes } : {}) } : { kept },
  }
}

function closedError(operation: string): SendonceError {
  return new SendonceError('closed', `The client is closed; "${operation}" was not sent.`)
}

function deferred<T>(): {
  promise: Promise<T>
  resolve: (value: T) => void
  reject: (error: unknown) => void
} {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
