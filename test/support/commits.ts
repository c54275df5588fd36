import { keyExpiresAt } from '../../src/collect.ts'
import type { OperationRecord, Stub } from '../../src/record.ts'
import { isSettled, parseRecord } from '../../src/record.ts'
import type { RecordKey } from '../../src/store/store.ts'
import type { Diary, Life } from './diary.ts'

/** Within this a page that was told may not get a new key for the same. */
const JOIN_MS = 1_000
/** After this a settled record may be gone, and with it the memory of who was told. */
const KEEP_SETTLED_MS = 600_000

/** One commit of a page. */
export interface Commit {
  readonly page: string
  readonly at: RecordKey
  readonly before: unknown
  readonly after: unknown
}

/** Judges a commit by what it was made from, and writes it down. */
export function judgeCommit(diary: Diary, { page, at, before, after }: Commit): void {
  const old = parseRecord(before)
  const next = diary.commit(at, after)
  const event = diary.event()
  const was = old.is === 'record' ? old.record : undefined
  const is = next.is === 'record' ? next.record : undefined
  const wasLife = was && diary.lives.get(was.key)
  if (old.is === 'stub') {
    // Whoever takes it away may have looked at the clock some time before.
    const now = diary.pages.get(page)?.page.platform.now() ?? 0
    outlive(diary, old.stub.key, next.is === 'nothing' ? diary.latestMs : now, event)
    const life = diary.lives.get(old.stub.key)
    if (life?.forgottenUntil !== undefined && next.is === 'stub') {
      life.forgottenUntil = undefined
      leave(diary, page, next.stub, life, event)
    }
  }

  if (was && wasLife && was.key !== is?.key) {
    if (next.is === 'stub' && next.stub.key === was.key) {
      leave(diary, page, next.stub, wasLife, event)
    } else if (is) rotate(diary, page, was, wasLife, is, event)
    else if (isSettled(was)) wasLife.over = true
    else if (wasLife.senders.size > 0 && was.ambiguous > 0) {
      diary.accuse('no-record-lost', `${page} dropped it`, wasLife)
    }
  }
  if (!is) return

  const life = lifeOf(diary, at, is)
  carry(diary, page, is, life, was?.ambiguous ?? (old.is === 'stub' ? old.stub.ambiguous : 0))
  const kept = life.forgottenUntil !== undefined || wasLife?.senders.size === 0
  if (was?.key !== is.key && life.senders.size > 0 && !kept) {
    diary.accuse('key-rotation', `${page} brought a key back`, life)
  }
  life.forgottenUntil = undefined
  // The claim that replaced it was undone.
  if (life.ended?.as === 'replaced') life.ended = undefined
  if (was?.key === is.key) compare(diary, page, was, is, life)
  else guard(diary, page, life)
  if (is.phase.is === 'sending') life.claims.set(page, event)
  if (isSettled(is)) life.ended ??= { as: is.phase.is, at: event, over: overtaken(page, was, life) }
}

/** The page that had claimed what another one ends. */
function overtaken(page: string, was: OperationRecord | undefined, life: Life): string | undefined {
  if (was?.phase.is !== 'sending') return undefined
  const [holder] = [...life.claims].sort(([, a], [, b]) => b - a)[0] ?? []
  return holder === page ? undefined : holder
}

function lifeOf(diary: Diary, at: RecordKey, record: OperationRecord): Life {
  const { key, request, startedAt } = record
  const known = diary.lives.get(key)
  if (known) return known
  const life: Life = {
    key,
    at,
    fingerprint: request.fingerprint,
    url: request.url,
    startedAt,
    token: undefined,
    carried: new Set(),
    senders: new Set(),
    claims: new Map(),
    wires: new Map(),
    dated: undefined,
    mayDate: true,
    forgottenUntil: undefined,
    over: false,
    ended: undefined,
    told: new Map(),
  }
  diary.lives.set(key, life)
  return life
}

/** Which token the record has now. `ambiguous`: how many attempts may have arrived before. */
function carry(
  diary: Diary,
  page: string,
  record: OperationRecord,
  life: Life,
  ambiguous: number,
): void {
  if (record.ambiguous === 0) life.mayDate = true
  // What is settled needs none any more.
  if (isSettled(record)) return
  const { token: before } = life
  const token = record.token?.value
  const open = before !== undefined && life.carried.has(before) && ambiguous > 0
  if (open && before !== token && diary.ways.isDead?.(before) !== true) {
    diary.accuse('one-token', `${page} put ${token ?? 'nothing'} in place of ${before}`, life)
  }
  life.token = token
  if (token !== undefined) diary.bearers.set(token, life)
}

/** The same key, moved on. */
function compare(
  diary: Diary,
  page: string,
  was: OperationRecord,
  is: OperationRecord,
  life: Life,
): void {
  const { failureKey } = diary.ways
  if (was.phase.is === 'refused' && !isSettled(is) && failureKey === 'keep') {
    if (!knew(diary, page, life, was.phase.at)) {
      diary.accuse('settled-stays', `${page} sent it again without knowing of it`, life)
    }
    life.ended = undefined
    return
  }
  if (isSettled(was) && was.phase.is !== is.phase.is && is.phase.is !== 'succeeded') {
    diary.accuse('settled-stays', `${page} made ${was.phase.is} ${is.phase.is}`, life)
  }
  if (is.attempt < was.attempt) {
    diary.accuse('no-record-lost', `${page} counted attempt ${was.attempt} back`, life)
  }
  const [bytes, left] = [bytesOf(was), bytesOf(is)]
  // The bytes of what nobody knows go when the key expires, those of what is settled at once.
  const mayGo = left === undefined && (isSettled(is) || diary.latestMs >= keyExpiresAt(was))
  const lost = bytes && !mayGo && !(left && Buffer.compare(bytes, left) === 0)
  if (lost || frozenOf(was) !== frozenOf(is)) {
    diary.accuse('same-bytes', `${page} changed what was frozen`, life)
  }
}

function bytesOf({ request: { body } }: OperationRecord): Uint8Array | undefined {
  return body.kept ? body.bytes : undefined
}

function frozenOf({ request }: OperationRecord): string {
  const { method, url, headers, fingerprint } = request
  return JSON.stringify([method, url, headers, fingerprint])
}

/** A stub took the place of a record: the app's word, or time. */
function leave(diary: Diary, page: string, stub: Stub, life: Life, event: number): void {
  const [, scope, operation] = life.at
  const asked = diary.pages.get(page)
  const forgotten = stub.stub === 'forgotten' && asked?.forgets.has(scope)
  if (forgotten && stub.ambiguous > 0) {
    life.forgottenUntil = stub.until
    return
  }
  life.over = true
  if (life.ended) return
  if (!forgotten && !asked?.discards.has(operation)) {
    diary.accuse('no-record-lost', `${page} gave it up unasked`, life)
  }
  life.ended = { as: 'discarded', at: event }
}

/** A stub whose time is over means nothing any more. */
function outlive(diary: Diary, key: string, now: number, event: number): void {
  const life = diary.lives.get(key)
  if (life?.forgottenUntil === undefined || now < life.forgottenUntil) return
  life.forgottenUntil = undefined
  life.over = true
  life.ended ??= { as: 'discarded', at: event }
}

/** No other key takes the place of one that is forgotten. */
function guard(diary: Diary, page: string, { key, at }: Life): void {
  const place = JSON.stringify(at)
  for (const life of diary.lives.values()) {
    if (life.forgottenUntil === undefined || JSON.stringify(life.at) !== place) continue
    diary.accuse('key-rotation', `${page} minted ${key} over what was forgotten`, life)
  }
}

/** Another key took the place of a record. */
function rotate(
  diary: Diary,
  page: string,
  was: OperationRecord,
  wasLife: Life,
  is: OperationRecord,
  event: number,
): void {
  // A claim that is undone: nothing of it had left.
  if (wasLife.senders.size === 0) return
  const same = wasLife.fingerprint === is.request.fingerprint
  if (!isSettled(was)) {
    if (same || was.ambiguous > 0) {
      diary.accuse('key-rotation', `${page} replaced it by ${is.key}, ${was.phase.is}`, wasLife)
    }
    wasLife.ended = { as: 'replaced', at: event }
    return
  }
  const now = diary.pages.get(page)?.page.platform.now() ?? 0
  if (!same || now >= was.phase.at + KEEP_SETTLED_MS) {
    wasLife.over = true
    return
  }
  if (!knew(diary, page, wasLife, was.phase.at)) {
    diary.accuse('key-rotation', `${page} minted ${is.key} without knowing of it`, wasLife)
  }
}

/** Whether a submit of this page may count as a second one on purpose. */
function knew(diary: Diary, page: string, { at, ended, told }: Life, endedMs: number): boolean {
  const seen = diary.pages.get(page)
  if (!seen || !ended) return false
  const [, , operation] = at
  const here = told.get(page)
  const elsewhere = [...told.values()].some(other => other.at < seen.shownAt)
  return seen.submits.some(submit => {
    if (submit.operation !== operation) return false
    // A refusal has had no effect: one that is a moment older than its commit may count as known.
    if (ended.as === 'refused') return submit.at > ended.at || submit.wallMs >= endedMs
    return elsewhere || (here && submit.at > here.at && submit.ms - here.ms >= JOIN_MS)
  })
}
