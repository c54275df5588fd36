import { Ahead } from './ahead.ts'
import type { Bytes } from './bytes.ts'
import { discard } from './discard.ts'
import { check, invalid, reading, SendonceError } from './errors.ts'
import { Gate } from './gate.ts'
import type { Host } from './host.ts'
import { checkKey, keyTail, mintKey } from './key.ts'
import type { Outcome, Succeeded } from './lifecycle.ts'
import type { Operation } from './operation.ts'
import { OutcomeError } from './outcome-error.ts'
import { newRecord, parseRecord } from './record.ts'
import type { SubmitRequest } from './request.ts'
import { freezeRequest } from './request.ts'
import type { Running } from './running.ts'
import { secretDigest } from './secret.ts'
import { quickly } from './sha256.ts'
import { Sight } from './sight.ts'
import { checkFlag, checkName, checkProfile, checkStorageFailure, policyOf } from './validate.ts'

/** One operation of a client: what is seen of it, and what can be asked of it, which goes through its gate. */
export class Handle extends Sight implements Operation<unknown> {
  readonly #host: Host
  readonly #gate: Gate
  readonly #ahead = new Ahead()

  constructor(host: Host, name: string) {
    super(host, name)
    this.#host = host
    this.#gate = new Gate(host, this)
  }

  // Synchronous until a turn is under way, whatever the UI knows.
  async submit(request: SubmitRequest): Promise<Outcome<unknown>> {
    this.#checkOpen()
    const host = this.#host
    check(typeof request === 'object' && request, 'request', request, 'use an object with a url')
    const { platform, defaultProfile } = host
    const { signal, parse, profile = defaultProfile, sensitive = false, once = false } = request
    const { onStorageFailure = host.onStorageFailure } = request
    if (request.profile) checkProfile(profile)
    checkStorageFailure(onStorageFailure)
    checkFlag('sensitive', sensitive)
    checkFlag('once', once)
    const isSignal = signal === undefined || typeof signal?.aborted === 'boolean'
    check(isSignal, 'signal', signal, 'use the signal of an AbortController')
    const policy = policyOf(request.retry, host.policy)
    const key = request.key ?? reading('profile.key.mint', () => profile.key?.mint?.()) ?? mintKey()
    if (profile.key) checkKey(key, profile.key)
    else if (request.key !== undefined) {
      throw invalid('key', keyTail(request.key), 'leave it out: the profile sends none')
    }
    if (signal?.aborted) {
      throw new SendonceError('aborted', `"${this.name}" was submitted with an aborted signal.`)
    }
    host.register(profile)
    const calledAt = platform.now()
    const calledMs = platform.monotonic()
    const scope = host.scope()
    if (scope !== null) checkName('scope', scope)
    const digest =
      sensitive && scope !== null
        ? secretDigest(platform, host.records, host.name, scope)
        : quickly(platform)
    const frozen = freezeRequest(request, digest, profile)
    const fingerprint = frozen.ready.then(ready => ready.fingerprint)
    fingerprint.catch(() => {})
    host.hints?.submitted({ host, scope, operation: this.name, request, ...frozen, fingerprint })
    if (scope === null) return this.signedOut()

    const told = host.told.last(this.at(scope))
    const begin = (): Running => {
      const ahead = profile.token && this.#ahead.take(host, scope, profile)
      let bytes: Bytes | undefined
      const options = {
        scope,
        startedAt: platform.now(),
        fingerprint,
        asks: false,
        parse,
        bytes: () => bytes,
        guardHeaders: frozen.guardHeaders,
        policy,
        onStorageFailure,
      }
      return this.#gate.begin(options, async begunAt => {
        const queuedMs = platform.monotonic() - calledMs
        const { bytes: whole, ...stored } = await frozen.ready
        bytes = whole
        const { ttlMs, failureKey } = profile
        const record = newRecord({
          key,
          place: profile.key?.place,
          profile: profile.id,
          ttlMs,
          request: stored,
          token: await ahead,
          startedAt: begunAt,
          once,
          sensitive,
        })
        const { joinMs } = host
        return { fresh: { record, failureKey, calledAt, queuedMs, told, joinMs } }
      })
    }

    const gate = this.#gate
    const { running } = this
    const joined = running ? await gate.meet(running, scope, fingerprint, begin) : begin()
    return gate.attach(joined, signal, parse)
  }

  async submitOrThrow(request: SubmitRequest): Promise<Succeeded<unknown>> {
    const outcome = await this.submit(request)
    if (outcome.state === 'succeeded') return outcome
    throw new OutcomeError(outcome)
  }

  async prepare(): Promise<void> {
    this.#checkOpen()
    await this.#ahead.fetch(this.#host, this.name)
  }

  resume(): Promise<Outcome<unknown>> {
    return this.#again('resume')
  }

  recover(): Promise<Outcome<unknown>> {
    return this.#again('recover')
  }

  discard(): Promise<void> {
    const discarding = this.#discard(this.running)
    this.#gate.discard(discarding)
    return discarding
  }

  /** Another tab has moved the operation, or the client was closed. */
  hear(): void {
    this.#gate.wake()
    if (!this.running) this.refresh()
  }

  /** The scope has signed out, here or in another tab. */
  forget(scope: string): void {
    const { running } = this
    if (running?.scope === scope) running.stop('ended')
    this.clear(scope)
  }

  /** Lets a turn of a scope that has signed out come to its end. */
  async leave(scope: string): Promise<void> {
    this.hear()
    const { running } = this
    if (running?.scope === scope) await running.over
  }

  #checkOpen(): void {
    if (this.#host.closed()) {
      throw new SendonceError('closed', `The client is closed; "${this.name}" was not sent.`)
    }
  }

  async #again(how: 'resume' | 'recover'): Promise<Outcome<unknown>> {
    this.#checkOpen()
    const host = this.#host
    const scope = host.scope()
    if (scope === null) return this.signedOut()
    const asks = how === 'recover'
    const under = this.running
    if (under) {
      const joins = under.scope === scope && !under.signal.aborted && (asks || !under.asks)
      if (joins) return this.#gate.attach(under)
      // Of somebody who has signed out; a question that is being asked is waited for.
      if (under.scope !== scope) under.stop('ended')
      await under.over
      this.end(under)
      return this.#again(how)
    }
    const record = this.find(scope).then(({ record }) => {
      const refuse = (why: string) => new SendonceError('invalid-argument', why)
      if (!record) throw refuse(`There is nothing to ${how} of "${this.name}".`)
      const { profile } = record
      if (asks && !host.profile(profile)?.recover) {
        throw refuse(`"${this.name}" cannot be asked about: the profile ${profile} has no recover.`)
      }
      return record
    })
    const fingerprint = record.then(({ request }) => request.fingerprint)
    const options = {
      scope,
      startedAt: host.platform.now(),
      fingerprint,
      asks,
      bytes: () => undefined,
      policy: host.policy,
    }
    const running = this.#gate.begin(options, async () => {
      const { key } = await record
      if (!asks) host.emit({ type: 'resumed' }, this.name, await record)
      return { key }
    })
    return this.#gate.attach(running)
  }

  async #discard(running: Running | undefined): Promise<void> {
    const { platform, records, scope: scopeNow, emit, broadcast } = this.#host
    const scope = scopeNow()
    if (scope === null) return
    const at = this.at(scope)
    const before = parseRecord(await records.read(at)).record
    const left = before && !running && !(await this.isElsewhere(before)) ? before : undefined
    const now = platform.now()
    const change = (old: unknown) => discard(old, left, now)
    const discarded = await records.change(at, change)
    if (discarded === 'in-flight') {
      throw new SendonceError(
        'in-flight',
        `"${this.name}" is on its way and cannot be discarded: wait for its outcome.`,
      )
    }
    running?.stop('ended')
    this.clear()
    if (!discarded) return
    emit({ type: 'discarded' }, this.name, discarded.record)
    broadcast.post({ scope, operation: this.name })
  }
}
