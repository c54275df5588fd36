import type { OperationRecord } from '../../src/record.ts'
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

  if (was && wasLife && was.key !== is?.key) {
    if (next.is === 'stub' && next.stub.key === was.key) giveUp(diary, page, at, wasLife, event)
    else if (is) rotate(diary, page, was, wasLife, is, event)
    else if (wasLife.senders.size > 0 && was.ambiguous > 0) {
      diary.accuse('no-record-lost', `${page} dropped it`, wasLife)
    }
  }
  if (!is) return

  const life = lifeOf(diary, at, is)
  if (was?.key !== is.key && life.senders.size > 0 && wasLife?.senders.size !== 0) {
    diary.accuse('key-rotation', `${page} brought a key back`, life)
  }
  if (was?.key === is.key) compare(diary, page, was, is, life)
  if (is.phase.is === 'sending') life.claims.set(page, event)
  if (isSettled(is)) life.ended ??= { as: is.phase.is, at: event }
}

function lifeOf(diary: Diary, at: RecordKey, { key, request }: OperationRecord): Life {
  const known = diary.lives.get(key)
  if (known) return known
  const life: Life = {
    key,
    at,
    fingerprint: request.fingerprint,
    senders: new Set(),
    claims: new Map(),
    wire: undefined,
    ended: undefined,
    told: new Map(),
  }
  diary.lives.set(key, life)
  return life
}

/** The same key, moved on. */
function compare(
  diary: Diary,
  page: string,
  was: OperationRecord,
  is: OperationRecord,
  life: Life,
): void {
  if (isSettled(was) && was.phase.is !== is.phase.is && is.phase.is !== 'succeeded') {
    diary.accuse('settled-stays', `${page} made ${was.phase.is} ${is.phase.is}`, life)
  }
  if (is.attempt < was.attempt) {
    diary.accuse('no-record-lost', `${page} counted attempt ${was.attempt} back`, life)
  }
  const [bytes, left] = [bytesOf(was), bytesOf(is)]
  const lost = bytes && !isSettled(is) && !(left && Buffer.compare(bytes, left) === 0)
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
function giveUp(
  diary: Diary,
  page: string,
  [, , operation]: RecordKey,
  life: Life,
  event: number,
): void {
  if (life.ended) return
  if (!diary.pages.get(page)?.discards.has(operation)) {
    diary.accuse('no-record-lost', `${page} gave it up unasked`, life)
  }
  life.ended = { as: 'discarded', at: event }
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
  if (now >= was.phase.at + KEEP_SETTLED_MS) return
  if (same && !knew(diary, page, wasLife, was.phase.at)) {
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
