import { moveRecord } from './adopt.ts'
import { openBroadcast } from './broadcast.ts'
import { browserPlatform } from './browser.ts'
import { createBudget } from './budget.ts'
import { age, collect, stubOf } from './collect.ts'
import { createCorsHint } from './cors-hint.ts'
import type { RetryPolicy } from './decide.ts'
import { forgetDrafts } from './draft.ts'
import { invalid } from './errors.ts'
import type { SendonceEvent } from './events.ts'
import type { Match, SendonceFetch } from './fetch.ts'
import { createFetch } from './fetch.ts'
import type { Host } from './handle.ts'
import { Handle } from './handle.ts'
import { mintKey } from './key.ts'
import type { Outcome, Snapshot, Succeeded } from './lifecycle.ts'
import { needsNobody } from './lifecycle.ts'
import type { Operation } from './operation.ts'
import type { Platform } from './platform.ts'
import { appear, noteCached } from './presence.ts'
import { idempotencyKey } from './profiles/idempotency-key.ts'
import type { ServerProfile } from './profiles/profile.ts'
import type { OperationRecord } from './record.ts'
import { isSettled, parseRecord } from './record.ts'
import type { SubmitRequest } from './request.ts'
import { moveSecret, SECRET } from './secret.ts'
import type { KyLike } from './send.ts'
import { createRecords } from './store/fallback.ts'
import type { Durability } from './store/indexed-db.ts'
import { createIndexedDbStore } from './store/indexed-db.ts'
import type { Change, OperationStore } from './store/store.ts'
import { createTold } from './told.ts'
import type { EventDetail } from './turn.ts'
import { tailOf } from './turn.ts'
import {
  checkMs,
  checkName,
  checkOneOf,
  checkOrigins,
  checkProfile,
  checkStorageFailure,
  policyOf,
} from './validate.ts'

/** How long a settled record keeps its answer where the app does not say. */
const KEEP_SETTLED_MS = 600_000
/** The gap of a double click, and of a person who is not sure and clicks again. */
const JOIN_MS = 1_000
/** Old records are looked for when the page has settled down. */
const COLLECT_AFTER_MS = 5_000

/** What a client is made of. */
export interface ClientOptions {
  /**
   * Whose operations these are: the signed-in account. A function is read at submit and before every attempt; null, or
   * another value than the record's, pauses. There is no default: a shared device must not send one person's request
   * with another's cookies.
   */
  readonly scope: string | (() => string | null)
  /** Tells clients of one origin apart (one per API). @default 'default' */
  readonly name?: string
  /**
   * Your ky, 1 or 2, with its base URL and auth hooks. Called once per attempt with its own retries off, so that hooks run
   * on every attempt. @default ky as it comes
   */
  readonly ky?: KyLike
  /** Your ky's afterResponse hooks may ask for one more try, to refresh a session. Costs a clone of each request. @default false */
  readonly hooksMayRetry?: boolean
  /**
   * The only origins that anything is sent to, whatever a stored record says: a script that was injected once cannot have
   * later pages send elsewhere. @default any
   */
  readonly origins?: readonly string[]
  /** How this server does idempotency. @default idempotencyKey() */
  readonly profile?: ServerProfile
  /** Further profiles that a submit may name. A record of an unregistered one is `unknown: profile-missing` after a reload. */
  readonly profiles?: readonly ServerProfile[]
  /**
   * How hard a turn tries, field by field.
   * @default 8 attempts of 30 s within 120 s, backoff from 0.5 to 30 s with full jitter
   */
  readonly retry?: Partial<RetryPolicy>
  /** Where records are kept. @default 'indexeddb' */
  readonly storage?: 'indexeddb' | 'memory' | OperationStore
  /**
   * What to do where the browser has never been able to store anything. `refuse`: nothing is sent unless its key is on
   * disk. @default 'memory'
   */
  readonly onStorageFailure?: 'memory' | 'refuse'
  /** Whether a key waits for the disk (`strict`) or for the operating system (`relaxed`). @default 'strict' */
  readonly durability?: Durability
  /** An identical submit this soon after a success gets that success, in milliseconds. @default 1_000 */
  readonly joinMs?: number
  /** How long a settled record keeps its answer for other tabs and for a page that died, in milliseconds. @default 600_000 */
  readonly keepSettledMs?: number
  /** Which of the requests of `api.fetch` are sent once. @default all but GET, HEAD and OPTIONS */
  readonly match?: Match
  /** Hears what happens. What it throws is reported and changes nothing. */
  readonly onEvent?: (event: SendonceEvent) => void
}

/** An operation that is not settled, found in the store. */
export interface UnsettledOperation {
  /** The name that it was submitted under, for `client.operation(name)`. */
  readonly operation: string
  /** As it was given, with `searchParams`. */
  readonly url: string
  /** What is known of it, for `describe`. */
  readonly snapshot: Snapshot<unknown>
}

/** Sends requests once. */
export interface Client {
  /**
   * Sends a request under the name of an operation, once: a second submit of the same while it is under way, after a
   * reload or in another tab, is one more turn of the first, with its key. Resolves with what is known when the turn
   * ends; rejects with a SendonceError only where nothing was sent.
   */
  submit<T = unknown>(operation: string, request: SubmitRequest<T>): Promise<Outcome<T>>
  /** For callers that want success or an exception (TanStack Query, React Hook Form); the error carries the outcome. */
  submitOrThrow<T = unknown>(operation: string, request: SubmitRequest<T>): Promise<Succeeded<T>>
  /** A handle; the same object for the same name while anyone holds it. */
  operation<T = unknown>(name: string): Operation<T>
  /** What this scope has left unsettled, in all tabs. */
  unsettled(): Promise<readonly UnsettledOperation[]>
  /** Goes on with what needs no person's decision. Does nothing in a page that is hidden or prerendered. */
  resumeAll(): Promise<readonly Outcome<unknown>[]>
  /**
   * Signing out: loops of this scope end, in every tab; its records go. `unknown`: how many nobody will know about now.
   * `dryRun`: counts them, and changes nothing. @default false
   */
  forget(options?: { readonly dryRun?: boolean }): Promise<{ readonly unknown: number }>
  /**
   * Moves the records of another scope to this one, keys and all: a guest who signed in. Loops of that scope end in this
   * page. What this scope has under the same name already stays, and so does the other's. Rejects with `invalid-argument`
   * while nobody is signed in.
   */
  adopt(fromScope: string): Promise<void>
  /**
   * The same behind the signature of `fetch`, for whatever sits on a `fetch` (openapi-fetch, tRPC, Apollo, urql, another
   * ky). GET, HEAD and OPTIONS pass through, and what `match` leaves out. A settled reply comes back as a `Response`, a
   * refusal too; unknown and paused reject with the `outcome`. `Authorization` is sent along and not stored.
   */
  readonly fetch: SendonceFetch
  /** Settles when no loop runs and no write is under way. For tests. */
  idle(): Promise<void>
  /** Loops stop waiting, nothing more is sent, records stay. */
  close(): void
}

/** What a scope has in the store. */
interface Scan {
  readonly scope: string | null
  readonly found: readonly (readonly [string, OperationRecord])[]
}

/**
 * Creates a client. Opens nothing where there is no browser, so that a server may render with it.
 *
 * @throws SendonceError `invalid-argument`, which says which option and what to do
 */
export function createClient(options: ClientOptions): Client {
  return createClientOn(browserPlatform(), options)
}

/** A client on a platform of its own: for tests that run several pages in one process. */
export function createClientOn(platform: Platform, options: ClientOptions): Client {
  const { scope, name = 'default', profile = idempotencyKey(), profiles = [] } = options
  const { joinMs = JOIN_MS, keepSettledMs = KEEP_SETTLED_MS, storage = 'indexeddb' } = options
  const { onStorageFailure = 'memory', durability = 'strict' } = options
  checkName('name', name)
  if (typeof scope !== 'function') checkName('scope', scope)
  for (const each of [profile, ...profiles]) checkProfile(each)
  policyOf(options.retry)
  checkOrigins(options.origins)
  checkMs('joinMs', joinMs)
  checkMs('keepSettledMs', keepSettledMs)
  checkStorageFailure(onStorageFailure)
  checkOneOf('durability', durability, ['strict', 'relaxed'])
  if (typeof (storage as Partial<OperationStore> | null)?.change !== 'function') {
    checkOneOf('storage', storage, ['indexeddb', 'memory'])
  }

  const known = new Map([...profiles, profile].map(each => [each.id, each]))
  const handles = new Map<string, WeakRef<Handle>>()
  const running = new Set<Promise<unknown>>()
  const owner = mintKey()
  let closed = false
  let shown = { at: platform.now(), since: platform.monotonic() }

  const disk =
    storage === 'memory'
      ? undefined
      : storage === 'indexeddb'
        ? createIndexedDbStore(durability, undefined, platform)
        : storage
  const records = createRecords(disk, platform.notes, ([, , operation], cause) => {
    emit({ type: 'not-durable', cause }, operation)
  })
  const broadcast = openBroadcast(platform, name, message => {
    const current = readScope()
    if ('forgotten' in message) {
      // The session may have ended here before the message came.
      if (current === null || current === message.scope) forgetDrafts()
      for (const handle of live()) handle.forget(message.scope)
    } else if (message.scope === current) {
      handles.get(message.operation)?.deref()?.hear()
    }
  })

  function readScope(): string | null {
    if (typeof scope !== 'function') return scope
    try {
      return scope()
    } catch {
      return null
    }
  }

  function emit(detail: EventDetail, operation: string, record?: OperationRecord): void {
    const base = {
      at: platform.now(),
      operation,
      keyTail: tailOf(record),
      attempt: record?.attempt ?? 0,
    }
    try {
      options.onEvent?.({ ...base, ...detail })
    } catch (error) {
      // As an event listener's: reported, and of no consequence.
      queueMicrotask(() => {
        throw error
      })
    }
  }

  function* live(): Iterable<Handle> {
    for (const [operation, reference] of handles) {
      const handle = reference.deref()
      if (handle) yield handle
      else handles.delete(operation)
    }
  }

  const track = (work: Promise<unknown>) => {
    running.add(work)
    work.finally(() => running.delete(work)).catch(() => {})
  }
  const told = createTold(platform, records, track, () => closed)

  const host: Host = {
    platform,
    records,
    broadcast,
    budget: createBudget(),
    corsHint: createCorsHint(),
    ky: options.ky,
    hooksMayRetry: options.hooksMayRetry === true,
    origins: options.origins,
    keepSettledMs,
    owner,
    scope: readScope,
    profile: id => known.get(id),
    emit,
    name,
    defaultProfile: profile,
    retry: options.retry,
    onStorageFailure,
    joinMs,
    told,
    register: each => void known.set(each.id, each),
    closed: () => closed,
    present: () => letGo !== undefined,
    appeared: () => appearing,
    // By the own clock too: one that was set back would make what was told since look older than this.
    shown() {
      const { at, since } = shown
      return () => Math.min(at, platform.now() - (platform.monotonic() - since))
    },
    track,
  }

  function handleOf(operation: string): Handle {
    checkName('operation', operation)
    const existing = handles.get(operation)?.deref()
    if (existing) return existing
    const handle = new Handle(host, operation)
    handles.set(operation, new WeakRef(handle))
    return handle
  }

  async function scan(current = readScope()): Promise<Scan> {
    if (current === null) return { scope: null, found: [] }
    const found = (await records.list(name, current)).flatMap(([key, stored]) => {
      const each = age(parseRecord(stored), platform.now(), keepSettledMs)
      return each.is === 'record' ? [[key[2], each.record] as const] : []
    })
    return { scope: current, found }
  }

  /** Leaves stubs of what is there, so that the same submit meets the same key again. */
  async function erase({ scope, found }: Scan): Promise<void> {
    if (scope === null) return
    const now = platform.now()
    const change = (old: unknown): Change<void> => {
      const each = parseRecord(old)
      if (each.is !== 'record') return { result: undefined }
      const { record } = each
      const stub = isSettled(record) ? record.phase.is : 'forgotten'
      return { keep: stubOf(record, stub, now), result: undefined }
    }
    await Promise.all(
      found.map(([operation]) =>
        records.change([name, scope, operation], change, { onStorageFailure }),
      ),
    )
  }

  /** Time goes over what this scope has left: answers, records and stubs whose time is up. */
  async function sweep(): Promise<void> {
    const current = readScope()
    if (current === null) return
    for (const [key, stored] of await records.list(name, current)) {
      if (key[2] === SECRET) continue
      const now = platform.now()
      const before = parseRecord(stored)
      if (before.is === 'unreadable') {
        emit({ type: 'record-set-aside', cause: 'It cannot be read.' }, key[2])
      }
      if (age(before, now, keepSettledMs) === before) continue
      const after = await records.change(key, old => collect(old, now, keepSettledMs), {
        onStorageFailure,
        durability: 'relaxed',
      })
      if (before.is === 'record' && !isSettled(before.record) && after.is === 'nothing') {
        emit({ type: 'record-expired', cause: 'Nobody came back to it.' }, key[2], before.record)
      }
    }
  }

  let letGo: (() => void) | undefined
  let appearing: Promise<unknown> | undefined
  /** The page is here, for people and for other tabs: at first, and when it comes back from the back-forward cache. */
  function show(): void {
    shown = { at: platform.now(), since: platform.monotonic() }
    noteCached(platform, owner)
    appearing = appear(platform, owner).then(
      release => {
        letGo = release
        if (closed) release?.()
      },
      () => {},
    )
    for (const handle of live()) handle.refresh()
  }
  const stops = [
    platform.on('show', show),
    platform.on('hide', () => {
      letGo = undefined
    }),
    platform.on('visible', () => {
      shown = { at: platform.now(), since: platform.monotonic() }
      for (const handle of live()) handle.refresh()
    }),
  ]
  show()
  // A server that renders opens nothing and waits for nothing.
  if (disk && (disk === storage || typeof indexedDB !== 'undefined')) {
    if (disk !== storage) void records.read([name, '', '']).catch(() => {})
    stops.push(platform.timer(COLLECT_AFTER_MS, () => host.track(sweep().catch(() => {}))))
  }

  const place = profile.key?.place
  const submit = (operation: string, request: SubmitRequest) =>
    attempt(() => handleOf(operation).submit(request))

  return {
    submit: submit as Client['submit'],
    fetch: createFetch({
      platform,
      submit,
      match: options.match,
      keyHeader: place && 'header' in place ? place.header : undefined,
    }),
    submitOrThrow: (operation, request) =>
      attempt(() => handleOf(operation).submitOrThrow(request)) as never,
    operation: operation => handleOf(operation) as never,
    async unsettled() {
      const { scope: current, found } = await scan()
      const unsettled = found.filter(([, record]) => !isSettled(record))
      const list = await Promise.all(
        unsettled.map(async ([operation, record]) => ({
          operation,
          url: record.request.url,
          snapshot: await handleOf(operation).show(record, current),
        })),
      )
      // Nothing of it is for whoever signed in meanwhile.
      return current === readScope() ? list.filter(({ snapshot }) => snapshot.state !== 'idle') : []
    },
    async resumeAll() {
      if (!platform.visible()) return []
      const resumable = (await this.unsettled()).filter(({ snapshot }) => needsNobody(snapshot))
      const outcomes = await Promise.allSettled(
        resumable.map(({ operation }) => handleOf(operation).resume()),
      )
      // What was discarded meanwhile, or cannot be stored, keeps none of the others from its outcome.
      return outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    },
    async forget({ dryRun = false } = {}) {
      const unknown = ({ found }: Scan) =>
        found.filter(([, record]) => !isSettled(record) && record.ambiguous > 0).length
      const first = await scan()
      if (dryRun) return { unknown: unknown(first) }
      const { scope: current } = first
      if (current === null) return { unknown: 0 }
      broadcast.post({ scope: current, forgotten: true })
      forgetDrafts()
      for (const handle of live()) handle.forget(current)
      await erase(first)
      // A claim that another tab had made before it heard.
      const second = await scan(current)
      await erase(second)
      return { unknown: unknown(first) + unknown(second) }
    },
    async adopt(fromScope) {
      checkName('fromScope', fromScope)
      const to = readScope()
      if (to === null) throw invalid('scope', to, 'sign in before you adopt')
      if (to === fromScope) return
      await Promise.all([...live()].map(handle => handle.leave(fromScope)))
      await moveSecret(records, name, fromScope, to)
      const { found } = await scan(fromScope)
      for (const [operation] of found) {
        const moved = await moveRecord(
          records,
          [name, fromScope, operation],
          [name, to, operation],
          platform.now,
          { onStorageFailure },
        )
        if (!moved) continue
        for (const each of [fromScope, to]) broadcast.post({ scope: each, operation })
        handles.get(operation)?.deref()?.refresh()
      }
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled([...running])
    },
    close() {
      closed = true
      letGo?.()
      for (const stop of stops) stop()
      for (const handle of live()) handle.hear()
      broadcast.close()
      Promise.allSettled([...running]).then(() => records.close())
    },
  }
}

/** What throws at once becomes a rejection, so that callers have one path. */
function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work()
  } catch (error) {
    return Promise.reject(error)
  }
}
