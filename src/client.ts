import { moveRecord } from './adopt.ts'
import { openBroadcast } from './broadcast.ts'
import { browserPlatform } from './browser.ts'
import { createBudget } from './budget.ts'
import type { ClientOptions } from './client-options.ts'
import { forgetDrafts } from './draft.ts'
import { check, invalid } from './errors.ts'
import type { SendonceFetch } from './fetch.ts'
import { createFetch } from './fetch.ts'
import { Handle } from './handle.ts'
import { createHints } from './hints.ts'
import type { Host } from './host.ts'
import { mintKey } from './key.ts'
import type { Outcome, Snapshot, Succeeded } from './lifecycle.ts'
import { needsNobody } from './lifecycle.ts'
import type { Operation } from './operation.ts'
import type { Platform } from './platform.ts'
import { createPresence } from './presence.ts'
import { idempotencyKey } from './profiles/idempotency-key.ts'
import type { OperationRecord } from './record.ts'
import { isSettled } from './record.ts'
import { reporting } from './report.ts'
import type { SubmitRequest } from './request.ts'
import { eraseRecords, recordsOf, sweepRecords } from './scope-records.ts'
import { moveSecret } from './secret.ts'
import { createRecords } from './store/fallback.ts'
import { createIndexedDbStore } from './store/indexed-db.ts'
import type { OperationStore } from './store/store.ts'
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
  /**
   * What this scope has left unsettled, in all tabs. As long as you hold an entry, `operation(entry.operation)` shows at
   * once what is known of it.
   */
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
  const { ky } = options
  check(ky === undefined || typeof ky === 'function', 'ky', ky, 'use an instance of ky')
  const policy = policyOf(options.retry)
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
  /** Whoever holds on to what a list has found holds on to what is seen of it. */
  const listed = new WeakMap<UnsettledOperation, Handle>()
  const running = new Set<Promise<unknown>>()
  const owner = mintKey()
  const hints = createHints({ name, scope, platform })
  let closed = false

  const disk =
    storage === 'memory'
      ? undefined
      : storage === 'indexeddb'
        ? createIndexedDbStore(durability, undefined, platform)
        : storage
  const records = createRecords(
    disk,
    platform.notes,
    onStorageFailure,
    ([, , operation], cause) => {
      emit({ type: 'not-durable', cause }, operation)
    },
  )
  const broadcast = openBroadcast(platform, name, (message, sentAt) => {
    presence.heard(sentAt)
    const current = readScope()
    if ('forgotten' in message) {
      // The session may have ended here before the message came.
      if (current === null || current === message.scope) forgetDrafts()
      for (const handle of live()) handle.forget(message.scope)
    } else if (message.scope === current) {
      handles.get(message.operation)?.deref()?.hear()
    }
  })

  /** A session that is still being loaded is nobody's. */
  function readScope(): string | null {
    if (typeof scope !== 'function') return scope
    try {
      return scope() ?? null
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
    const event = { ...base, ...detail }
    hints?.happened(event)
    reporting(() => options.onEvent?.(event))
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
  const isClosed = () => closed
  const presence = createPresence(platform, owner, () => {
    for (const handle of live()) handle.refresh()
  })

  const host: Host = {
    ...presence,
    platform,
    records,
    broadcast,
    budget: createBudget(),
    hints,
    ky,
    hooksMayRetry: options.hooksMayRetry === true,
    origins: options.origins,
    keepSettledMs,
    owner,
    scope: readScope,
    profile: id => known.get(id),
    emit,
    name,
    defaultProfile: profile,
    policy,
    onStorageFailure,
    joinMs,
    told: createTold(platform, records, track, isClosed),
    register: each => void known.set(each.id, each),
    closed: isClosed,
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

  let stopSweep: (() => void) | undefined
  // A server that renders opens nothing and waits for nothing.
  if (disk && (disk === storage || typeof indexedDB !== 'undefined')) {
    if (disk !== storage) void records.read([name, '', '']).catch(() => {})
    const sweep = () => track(sweepRecords(host, readScope()).catch(() => {}))
    stopSweep = platform.timer(COLLECT_AFTER_MS, sweep)
  }

  const place = profile.key?.place
  // What throws at once becomes a rejection, so that callers have one path.
  const submit = async (operation: string, request: SubmitRequest) =>
    handleOf(operation).submit(request)

  const client: Client = {
    submit: submit as Client['submit'],
    fetch: createFetch({
      platform,
      submit,
      match: options.match,
      keyHeader: place && 'header' in place ? place.header : undefined,
    }),
    submitOrThrow: async (operation, request) =>
      handleOf(operation).submitOrThrow(request) as never,
    operation: operation => handleOf(operation) as never,
    async unsettled() {
      const current = readScope()
      const seen = new Map<Handle, unknown>()
      await Promise.all([...live()].map(async handle => seen.set(handle, await handle.seen())))
      const found = await recordsOf(host, current)
      const unsettled = found.filter(([, record]) => !isSettled(record))
      const list = await Promise.all(
        unsettled.map(async ([operation, record]) => {
          const handle = handleOf(operation)
          const snapshot = await handle.show(record, current, seen.get(handle))
          const each = { operation, url: record.request.url, snapshot }
          listed.set(each, handle)
          return each
        }),
      )
      // Nothing of it is for whoever signed in meanwhile.
      return current === readScope() ? list.filter(({ snapshot }) => isOpen(snapshot)) : []
    },
    async resumeAll() {
      if (!platform.visible()) return []
      const resumable = (await client.unsettled()).filter(({ snapshot }) => needsNobody(snapshot))
      const outcomes = await Promise.allSettled(
        resumable.map(({ operation }) => handleOf(operation).resume()),
      )
      // What was discarded meanwhile, or cannot be stored, keeps none of the others from its outcome.
      return outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    },
    async forget({ dryRun = false } = {}) {
      const current = readScope()
      let unknown = 0
      const look = async () => {
        const found = await recordsOf(host, current)
        unknown += found.filter(([, each]) => !isSettled(each) && each.ambiguous > 0).length
        return found
      }
      const first = await look()
      if (dryRun || current === null) return { unknown }
      broadcast.post({ scope: current, forgotten: true })
      forgetDrafts()
      for (const handle of live()) handle.forget(current)
      await eraseRecords(host, current, first)
      // A claim that another tab had made before it heard.
      await eraseRecords(host, current, await look())
      return { unknown }
    },
    async adopt(fromScope) {
      checkName('fromScope', fromScope)
      const to = readScope()
      if (to === null) throw invalid('scope', to, 'sign in before you adopt')
      if (to === fromScope) return
      await Promise.all([...live()].map(handle => handle.leave(fromScope)))
      await moveSecret(records, name, fromScope, to)
      for (const [operation] of await recordsOf(host, fromScope)) {
        if (!(await moveRecord(host, operation, fromScope, to))) continue
        for (const each of [fromScope, to]) broadcast.post({ scope: each, operation })
        handles.get(operation)?.deref()?.refresh()
      }
    },
    async idle() {
      while (running.size > 0) await Promise.allSettled([...running])
    },
    close() {
      closed = true
      presence.close()
      stopSweep?.()
      for (const handle of live()) handle.hear()
      broadcast.close()
      Promise.allSettled([...running]).then(() => records.close())
    },
  }
  return client
}

/** It may have been settled or given up while it was listed. */
function isOpen({ state }: Snapshot<unknown>): boolean {
  return state !== 'idle' && state !== 'succeeded' && state !== 'refused'
}
