import { Ahead } from './ahead.ts'
import type { Bound, Fresh } from './claim.ts'
import { age } from './collect.ts'
import type { RetryPolicy } from './decide.ts'
import { discard } from './discard.ts'
import { invalid, SendonceError } from './errors.ts'
import { checkKey, keyTail, mintKey } from './key.ts'
import type { Outcome, Paused, Snapshot, Succeeded } from './lifecycle.ts'
import { unsettledOf } from './lifecycle.ts'
import { runTurn } from './loop.ts'
import type { Operation } from './operation.ts'
import type { Context } from './outcome.ts'
import { endedOutcome, outcomeOf, signedOut, unreadable } from './outcome.ts'
import { OutcomeError } from './outcome-error.ts'
import type { Stop } from './platform.ts'
import { isUnderWay } from './presence.ts'
import type { ServerProfile } from './profiles/profile.ts'
import type { Found, OperationRecord, Token } from './record.ts'
import { isSettled, parseRecord } from './record.ts'
import type { SubmitRequest } from './request.ts'
import { freezeRequest, requestOf } from './request.ts'
import type { Parse } from './running.ts'
import { Running } from './running.ts'
import { secretDigest } from './secret.ts'
import { quickly } from './sha256.ts'
import type { RecordKey } from './store/store.ts'
import { fetchToken } from './token.ts'
import type { Told } from './told.ts'
import type { Ending, Engine, StopReason, Turn } from './turn.ts'
import { checkName, checkProfile, checkStorageFailure, policyOf } from './validate.ts'

/** What operations ask of their client beside what loops do. */
export interface Host extends Engine {
  readonly name: string
  readonly defaultProfile: ServerProfile
  readonly retry: Partial<RetryPolicy> | undefined
  readonly onStorageFailure: 'memory' | 'refuse'
  readonly joinMs: number
  readonly told: Told
  /** Remembers when this page was last shown to a person; called later it says so by the wall clock of then. */
  shown(): () => number
  register(profile: ServerProfile): void
  closed(): boolean
  /** Counts as going on until it settles. */
  track(work: Promise<unknown>): void
}

/** How often it is looked whether another tab that is at the operation still lives. */
const LOOK_MS = 1_000

/** What this page last saw, while no turn of its own was under way. */
type Seen =
  | { readonly is: 'nothing' }
  | { readonly is: 'unsettled'; readonly record: OperationRecord; readonly ending?: Ending }
  | {
      readonly is: 'outcome'
      readonly outcome: Outcome<unknown>
      readonly record: OperationRecord | undefined
    }

/** A success that somebody has been told of. */
const NO_NEWS = { news: false } as const

export class Handle implements Operation<unknown> {
  readonly name: string
  readonly #host: Host
  readonly #listeners = new Set<() => void>()
  readonly #wakers = new Set<() => void>()
  #scope: string | null
  #running: Running | undefined
  #seen: Seen = { is: 'nothing' }
  #read = false
  /** Another tab is at it, and lives. */
  #alive = false
  #snapshot: Snapshot<unknown> | undefined
  /** What must be over before another turn begins: the writes of the last one, a discard. */
  #before: Promise<unknown> | undefined
  #discarding: Promise<unknown> | undefined
  readonly #ahead = new Ahead()
  #reads = 0
  #stopLooking: Stop | undefined

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

  async prepare(): Promise<void> {
    const host = this.#host
    const { platform, defaultProfile: profile, ky, hooksMayRetry } = host
    if (host.closed()) throw closedError(this.name)
    const scope = host.scope()
    const { token: rules } = profile
    if (!rules || scope === null) return
    const fetchOne = async () => {
      const { token, cause } = await fetchToken(platform, rules, {
        ky,
        hooksMayRetry,
        signal: new AbortController().signal,
        timeoutMs: policyOf(host.retry).attemptTimeoutMs,
        look: () => (host.closed() ? 'stopped' : host.scope() === scope ? undefined : 'scope'),
      })
      if (token) {
        host.emit({ type: 'token-fetched' }, this.name)
        return token
      }
      throw new SendonceError('not-sent', `"${this.name}" got no token: ${String(cause)}`, {
        cause,
      })
    }
    const good = ({ at }: Token) => platform.now() < at + rules.lifetimeMs
    await this.#ahead.fetch(scope, profile.id, good, fetchOne)
  }

  resume(): Promise<Outcome<unknown>> {
    return this.#again('resume')
  }

  recover(): Promise<Outcome<unknown>> {
    return this.#again('recover')
  }

  async #again(how: 'resume' | 'recover'): Promise<Outcome<unknown>> {
    const host = this.#host
    if (host.closed()) throw closedError(this.name)
    const scope = host.scope()
    if (scope === null) return this.#signedOut()
    const asks = how === 'recover'
    const under = this.#running
    if (under?.scope === scope && (asks || !under.asks)) return this.#attach(under)
    if (under) {
      // Of somebody who has signed out; a question that is being asked is waited for.
      if (under.scope !== scope) under.stop('ended')
      await under.over
      return this.#again(how)
    }
    const record = this.#find(scope).then(found => {
      const refuse = (why: string) => new SendonceError('invalid-argument', why)
      if (found.is !== 'record') throw refuse(`There is nothing to ${how} of "${this.name}".`)
      const { profile } = found.record
      if (asks && !host.profile(profile)?.recover) {
        throw refuse(`"${this.name}" cannot be asked about: the profile ${profile} has no recover.`)
      }
      return found.record
    })
    const fingerprint = record.then(({ request }) => request.fingerprint)
    const running = new Running(scope, host.platform.now(), fingerprint)
    running.asks = asks
    this.#begin(running, {
      start: async () => {
        const { key } = await record
        if (!asks) host.emit({ type: 'resumed' }, this.name, await record)
        return { is: 'bound', key, asks }
      },
      bytes: () => undefined,
      policy: policyOf(host.retry),
      onStorageFailure: host.onStorageFailure,
    })
    return this.#attach(running)
  }

  discard(): Promise<void> {
    const discarding = this.#discard(this.#running)
    const over = discarding.catch(() => {})
    this.#discarding = over
    over.then(() => {
      if (this.#discarding === over) this.#discarding = undefined
    })
    this.#after(over)
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
    const seen = this.#seen
    if (seen.is !== 'outcome' || !seen.record || this.#scope === null) return
    this.#host.told.tell(this.#at(this.#scope), seen.record)
    this.#see({ ...seen, outcome: { ...seen.outcome, ...NO_NEWS } as Outcome<unknown> })
  }

  /** Reads the record again: another tab has moved it, or this page comes back from where it could not hear. */
  refresh(): void {
    const read = ++this.#reads
    const scope = this.#host.scope()
    const work = async () => {
      const found: Found = scope === null ? { is: 'nothing' } : await this.#find(scope)
      const alive = found.is === 'record' && (await this.#others(found.record))
      const seen = await this.#seenOf(found)
      if (read !== this.#reads || this.#running || scope !== this.#host.scope()) return
      this.#scope = scope
      this.#alive = alive
      this.#see(seen)
    }
    // A store that cannot be read shows nothing; the submit that meets it says why.
    const failed = () => {
      if (read === this.#reads && !this.#running) this.#see(this.#seen)
    }
    this.#host.track(work().catch(failed))
  }

  /** Another tab has moved the operation, or the client was closed. */
  hear(): void {
    for (const wake of [...this.#wakers]) wake()
    if (!this.#running) this.refresh()
  }

  /** The scope has signed out, here or in another tab. */
  forget(scope: string): void {
    if (this.#running?.scope === scope) this.#running.stop('ended')
    if (this.#scope === scope) this.#see({ is: 'nothing' })
  }

  /** Lets a turn of a scope that has signed out come to its end. */
  async leave(scope: string): Promise<void> {
    this.hear()
    if (this.#running?.scope === scope) await this.#running.over
  }

  /** What can be seen of a record that a list has found. */
  async show(record: OperationRecord, scope: string | null): Promise<Snapshot<unknown>> {
    const alive = await this.#others(record)
    if (!this.#running && scope === this.#host.scope()) {
      this.#scope = scope
      this.#alive = alive
      this.#read = true
      this.#see({ is: 'unsettled', record })
    }
    return this.getSnapshot()
  }

  #signedOut(): Paused {
    const outcome = signedOut(this.#context())
    this.#see({ is: 'outcome', outcome, record: undefined })
    return outcome
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
    if (host.closed()) throw closedError(this.name)
    const { platform, defaultProfile } = host
    const { signal, parse, profile = defaultProfile, sensitive = false, once = false } = request
    const { onStorageFailure = host.onStorageFailure } = request
    if (request.profile) checkProfile(profile)
    checkStorageFailure(onStorageFailure)
    const policy = policyOf(host.retry, request.retry)
    const key = request.key ?? profile.key?.mint?.() ?? mintKey()
    if (profile.key) checkKey(key, profile.key)
    else if (request.key !== undefined) {
      throw invalid('key', keyTail(request.key), 'leave it out, the server profile sends none')
    }
    if (signal?.aborted) {
      throw new SendonceError('aborted', `"${this.name}" was submitted with an aborted signal.`)
    }
    host.register(profile)
    const scope = host.scope()
    if (scope !== null) checkName('scope', scope)
    const digest =
      sensitive && scope !== null
        ? secretDigest(platform, host.records, host.name, scope)
        : quickly(platform.sha256)
    const frozen = freezeRequest(request, digest, profile)
    const fingerprint = frozen.ready.then(ready => ready.fingerprint)
    fingerprint.catch(() => {})
    if (scope === null) return Promise.resolve(this.#signedOut())

    const begin = (): Running => {
      const ahead = profile.token && this.#ahead.take(scope, profile.id)
      let bytes: Uint8Array<ArrayBuffer> | undefined
      const calledAt = platform.now()
      const told = host.told.last(this.#at(scope))
      const running = new Running(scope, calledAt, fingerprint, parse)
      this.#begin(running, {
        start: async begunAt => {
          const ready = await frozen.ready
          bytes = ready.bytes
          return {
            is: 'fresh',
            key,
            ...(profile.key ? { place: profile.key.place } : {}),
            profile: profile.id,
            ttlMs: profile.ttlMs,
            failureKey: profile.failureKey,
            request: requestOf(frozen, ready, sensitive),
            token: await ahead,
            once,
            sensitive,
            calledAt: begunAt,
            told,
            joinMs: host.joinMs,
          }
        },
        bytes: () => bytes,
        guardHeaders: frozen.guardHeaders,
        policy,
        onStorageFailure,
      })
      return running
    }

    if (!this.#running) return this.#attach(begin(), signal, parse)
    return this.#meet(this.#running, scope, fingerprint, begin).then(running =>
      this.#attach(running, signal, parse),
    )
  }

  /** A submit that finds a turn under way joins it, replaces it, or is refused. */
  async #meet(
    running: Running,
    scope: string,
    fingerprint: Promise<string>,
    begin: () => Running,
  ): Promise<Running> {
    const ours = await fingerprint
    await this.#discarding
    if (running.asks) await running.over
    // Undefined: there was nothing to resume, or its file could not be read.
    const theirs = await running.fingerprint.catch(() => undefined)
    const { record } = running
    if (theirs && running.scope === scope && !running.asks && !running.signal.aborted) {
      if (theirs === ours) {
        this.#host.emit({ type: 'joined' }, this.name, record)
        return running
      }
      // Known never to have been executed, and not on its way: simply the new body.
      const replaceable = record && record.ambiguous === 0 && !running.queued
      if (this.#running === running && !replaceable) {
        throw new SendonceError(
          'payload-changed',
          `"${this.name}" is under way with another body: wait for its outcome, or give this one an operation of its own.`,
        )
      }
    }
    if (this.#running === running) running.stop('ended')
    await running.over
    // Others may have come first meanwhile.
    return this.#running ? this.#meet(this.#running, scope, fingerprint, begin) : begin()
  }

  #begin(
    running: Running,
    options: Pick<Turn, 'bytes' | 'guardHeaders' | 'policy' | 'onStorageFailure'> & {
      /** `begunAt`: when nothing had to be waited for any more, wall clock. */
      readonly start: (begunAt: number) => Promise<Fresh | Bound>
    },
  ): void {
    const host = this.#host
    const { scope } = running
    const at = this.#at(scope)
    const before = this.#before
    const shownAt = host.shown()
    running.maxAttempts = options.policy.maxAttempts
    const { start, ...rest } = options
    const begin = (begunAt: number) => {
      const begun = start(begunAt)
      // The loop hears of it when it has its lock.
      begun.catch(() => {})
      return begun
    }
    const run = async () => {
      // A turn that follows nothing asks for its lock in this very task, while the request is being frozen.
      if (before) await before
      await runTurn(host, {
        ...rest,
        operation: this.name,
        scope,
        at,
        shownAt,
        start: begin(before ? host.platform.now() : running.startedAt),
        signal: running.signal,
        closed: host.closed,
        show: (record, queued, spent) => {
          // What is settled is shown when it has been read.
          if (record && isSettled(record)) return
          running.record = record
          running.queued = queued
          running.spent = spent
          this.#changed()
        },
        tell: ending => {
          this.#tell(running, at, ending).catch(error => running.fail(error))
        },
        onNews: wake => {
          this.#wakers.add(wake)
          return () => this.#wakers.delete(wake)
        },
      })
    }
    this.#running = running
    this.#scope = scope
    // What is being read is of before.
    this.#reads += 1
    // While it is asked about, what is known of it stays so.
    if (!running.asks) this.#seen = { is: 'nothing' }
    running.over = run().catch(error => {
      this.#release(running)
      running.fail(error)
      this.refresh()
    })
    this.#after(running.over)
    this.#changed()
  }

  /** The ending of a turn, first to the snapshot, then to those who wait. */
  async #tell(running: Running, at: RecordKey, ending: Ending): Promise<void> {
    const { record } = ending
    const outcome = await outcomeOf(ending, running.parse, this.#context(record))
    if (record?.phase.is === 'succeeded') this.#host.told.tell(at, record)
    if (this.#running === running && running.scope === this.#scope) {
      this.#reads += 1
      const ended: StopReason = 'ended'
      this.#seen =
        running.signal.reason === ended
          ? { is: 'nothing' }
          : record && !isSettled(record)
            ? { is: 'unsettled', record, ending }
            : { is: 'outcome', outcome, record }
      this.#alive = false
      this.#read = true
    }
    this.#release(running)
    running.end({ ending, outcome })
  }

  #release(running: Running): void {
    if (this.#running !== running) return
    this.#running = undefined
    this.#changed()
  }

  /** Keeps later turns back until `work` is over. */
  #after(work: Promise<unknown>): void {
    const before = Promise.allSettled([this.#before, work]).then(() => {
      if (this.#before === before) this.#before = undefined
    })
    this.#before = before
    this.#host.track(before)
  }

  /** A caller's own outcome of a turn. */
  async #attach(running: Running, signal?: AbortSignal, parse?: Parse): Promise<Outcome<unknown>> {
    const ended = await running.attach(signal)
    if (ended) {
      const { ending, outcome } = ended
      return parse === running.parse
        ? outcome
        : outcomeOf(ending, parse, this.#context(ending.record))
    }
    const { record } = running
    if (!record || record.ambiguous === 0) {
      throw new SendonceError('aborted', `"${this.name}" had not been sent when it was aborted.`)
    }
    const aborted: OperationRecord = { ...record, phase: { is: 'unknown', reason: 'aborted' } }
    return endedOutcome(aborted, { record: aborted }, this.#context(aborted))
  }

  async #discard(running: Running | undefined): Promise<void> {
    const host = this.#host
    const { platform, records, onStorageFailure } = host
    const scope = host.scope()
    if (scope === null) return
    const at = this.#at(scope)
    const before = parseRecord(await records.read(at))
    const left =
      before.is === 'record' && !running && !(await this.#others(before.record))
        ? before.record
        : undefined
    const now = platform.now()
    const change = (old: unknown) => discard(old, left, now)
    const discarded = await records.change(at, change, { onStorageFailure })
    if (discarded === 'in-flight') {
      throw new SendonceError(
        'in-flight',
        `"${this.name}" is on its way and cannot be discarded now: wait for its outcome.`,
      )
    }
    running?.stop('ended')
    this.#see({ is: 'nothing' })
    if (!discarded) return
    host.emit({ type: 'discarded' }, this.name, discarded)
    host.broadcast.post({ scope, operation: this.name })
  }

  async #seenOf(found: Found): Promise<Seen> {
    if (found.is === 'unreadable') {
      return { is: 'outcome', outcome: unreadable(this.#context()), record: undefined }
    }
    if (found.is !== 'record') return { is: 'nothing' }
    const { record } = found
    if (!isSettled(record)) return { is: 'unsettled', record }
    const seen = this.#seen
    if (seen.is === 'outcome' && seen.record?.key === record.key) {
      const known = record.toldAt === undefined ? {} : NO_NEWS
      return { ...seen, record, outcome: { ...seen.outcome, ...known } as Outcome<unknown> }
    }
    const context = this.#context(record)
    return {
      is: 'outcome',
      outcome: await outcomeOf({ record, stored: true }, undefined, context),
      record,
    }
  }

  #context(record?: OperationRecord): Context {
    const host = this.#host
    const profile = record && host.profile(record.profile)
    const running = this.#running
    const here = running?.asks === false
    return {
      operation: this.name,
      now: host.platform.now(),
      platform: host.platform,
      data: profile?.data,
      durable: this.#scope !== null && host.records.durable(this.#at(this.#scope)),
      here,
      alive: !here && this.#alive,
      queued: running?.queued === true,
      turn: here ? { attempt: running.spent, maxAttempts: running.maxAttempts } : undefined,
      orphaned: profile === undefined,
      recoverable: profile?.recover !== undefined,
      resumable:
        record?.poll !== undefined ||
        (record?.request.body.kept === true &&
          (profile?.guarantee === 'replay' || profile?.guarantee === 'reject') &&
          !(record.phase.is === 'unknown' && record.phase.reason === 'key-expired')),
    }
  }

  #look(): Snapshot<unknown> {
    const { name: operation } = this
    const running = this.#running
    if (running?.scope === this.#scope && !(running.asks && !running.record)) {
      const { record, startedAt } = running
      return record
        ? unsettledOf(record, this.#context(record))
        : {
            operation,
            state: 'sending',
            here: true,
            key: undefined,
            attempts: 0,
            startedAt,
            durable: false,
          }
    }
    const seen = this.#seen
    switch (seen.is) {
      case 'nothing':
        return { operation, state: 'idle', read: this.#read }
      case 'outcome':
        return seen.outcome
      case 'unsettled': {
        const { record, ending } = seen
        const context = this.#context(record)
        return ending ? endedOutcome(record, ending, context) : unsettledOf(record, context)
      }
    }
  }

  #see(seen: Seen): void {
    // What is being read is of before.
    this.#reads += 1
    this.#seen = seen
    this.#read = true
    this.#changed()
  }

  #changed(): void {
    this.#snapshot = undefined
    for (const listener of [...this.#listeners]) listener()
    this.#stopLooking?.()
    this.#stopLooking = undefined
    if (this.#alive && !this.#running && this.#listeners.size > 0) {
      const { platform } = this.#host
      const phase = this.#seen.is === 'unsettled' ? this.#seen.record.phase : undefined
      const leftMs = phase?.is === 'sending' ? phase.leaseUntil - platform.now() : LOOK_MS
      const inMs = Math.min(LOOK_MS, Math.max(0, leftMs))
      this.#stopLooking = platform.timer(inMs, () => this.refresh())
    }
  }

  /** Whether another document is at it, and lives. */
  async #others({ phase }: OperationRecord): Promise<boolean> {
    const { platform, owner } = this.#host
    return 'owner' in phase && phase.owner !== owner && isUnderWay(platform, phase)
  }
}

function closedError(operation: string): SendonceError {
  return new SendonceError('closed', `The client is closed; "${operation}" was not sent.`)
}
