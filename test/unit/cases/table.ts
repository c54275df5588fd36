import { replyOf } from '../../../src/answer.ts'
import type { Answered, Decision, Moment } from '../../../src/decide.ts'
import { DEFAULT_POLICY, decide, historyOf } from '../../../src/decide.ts'
import type { Reply, ServerProfile, Verdict } from '../../../src/profiles/profile.ts'
import { pollOf, readReply, retryOf } from '../../../src/profiles/read.ts'
import type { OperationRecord } from '../../../src/record.ts'
import { retryAfterMs } from '../../../src/retry-after.ts'
import { NOW, recordOf } from '../records.ts'

/** One answer of one server, at one point of an operation. */
export interface Case {
  readonly of: string
  readonly profile: ServerProfile
  readonly answer: string
  readonly history: string
  readonly verdict: string
  readonly next: string
  readonly source: string
}

const ASKED = recordOf().request.url

interface History {
  readonly record: Partial<OperationRecord>
  readonly moment?: Partial<Moment>
}

const FIRST: History = { record: {} }
/** An attempt without an answer went before. */
const LATER: History = { record: { attempt: 2, ambiguous: 2 } }

/** What went before, by the name that heads its column. */
const HISTORIES: Readonly<Record<string, History>> = {
  first: FIRST,
  'first attempt': FIRST,
  later: LATER,
  'after a lost reply': LATER,
  // One went before that is known as not executed.
  'after 429': { record: { attempt: 2, ambiguous: 1 } },
  'third conflict': { record: { attempt: 3, ambiguous: 3, conflicts: 2 } },
  'after a minute': { record: { attempt: 9, ambiguous: 9, inProgressSince: NOW - 60_000 } },
  'eighth attempt': { record: { attempt: 8, ambiguous: 8 }, moment: { spent: 8, round: 8 } },
}

/**
 * The cases of a table of text: a line for each answer, a column for each history, `|` between them, the names of the
 * columns in the first line. An answer is a status and its JSON (`200 {"code":0}`), then, after ` · ` each, its headers
 * (`retry-after: 2`) and what else is wrong with it (`HTML`, `cut off`, `redirected`); or `no answer`.
 */
export function casesOf(
  of: string,
  profile: ServerProfile,
  table: string,
  from: string = '',
): Case[] {
  const [names = [], ...lines] = table
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !/^\|?[-|]+$/.test(line))
    .map(line => line.replace(/^\||\|$/g, '').split('|'))
    .map(cells => cells.map(cell => cell.trim().replace(/^`|`$/g, '')))
  return lines.flatMap(cells => {
    const row = Object.fromEntries(names.map((name, n) => [name, cells[n] ?? '']))
    const { answer = '', verdict = '', source = from, ...nexts } = row
    return Object.entries(nexts).map(([history, next]) => ({
      of,
      profile,
      answer,
      history,
      verdict,
      next,
      source,
    }))
  })
}

/** What the library makes of it, in the words of the table. */
export function run({ profile, answer, history }: Case): { verdict: string; next: string } {
  const went = HISTORIES[history]
  if (!went) throw new Error(`No history is called "${history}".`)
  const record = recordOf(went.record)
  const reply = answer === 'no answer' ? undefined : replyIn(answer)
  const verdict = reply && readReply(profile, reply, historyOf(record))
  const ended: Answered =
    reply && verdict ? answered(profile, reply, verdict) : { is: 'unanswered', because: 'network' }
  const named = reply && retryAfterMs(reply, profile.pace, NOW)
  const decision = decide(record, ended, profile, DEFAULT_POLICY, {
    now: NOW,
    spent: 1,
    round: 1,
    elapsedMs: 0,
    online: true,
    random: 0.5,
    affordable: true,
    retryAfterMs: named,
    ...went.moment,
  })
  const timed = named !== undefined || (profile.pace?.minDelayMs ?? 0) > 0
  // The loop asks before it gives up on a key that was used.
  const asks = verdict?.is === 'duplicate' && profile.recover ? 'asked, else ' : ''
  return { verdict: verdict ? short(verdict) : '', next: asks + step(decision, timed) }
}

/** An answer as the table writes it. */
export function replyIn(answer: string): Reply {
  const [head = '', ...more] = answer.split(' · ')
  const [, status, json] = /^(\d{3}) ?(.*)$/.exec(head) ?? []
  if (status === undefined || json === undefined) throw new Error(`No answer: ${answer}`)
  const headers = new Headers(more.flatMap(part => pair(part)))
  if (json !== '') headers.set('content-type', 'application/json')
  if (more.includes('HTML')) headers.set('content-type', 'text/html; charset=utf-8')
  if (json !== '') JSON.parse(json)
  const response = new Response(null, { status: Number(status), headers })
  const body = more.includes('cut off') ? undefined : new TextEncoder().encode(json)
  return { ...replyOf(response, body), redirected: more.includes('redirected') }
}

const pair = (part: string): [string, string][] => {
  const [, name, value] = /^([\w-]+): (.*)$/.exec(part) ?? []
  return name !== undefined && value !== undefined ? [[name, value]] : []
}

function answered(profile: ServerProfile, reply: Reply, verdict: Verdict): Answered {
  const { status, bodyLost } = reply
  const poll = verdict.is === 'pending' ? pollOf(reply, verdict.poll, ASKED) : undefined
  return { is: 'answered', status, bodyLost, verdict, retry: retryOf(reply, profile.pace), poll }
}

/** `failure front`, `success replayed`, `not-executed rate-limited`. */
function short(verdict: Verdict): string {
  const { is, ...more } = verdict
  const words = Object.entries(more).flatMap(([name, value]) =>
    value === true ? [name] : name === 'said' || name === 'because' ? [`${value}`] : [],
  )
  return [is, ...words].join(' ')
}

/** `waiting in-progress`, and how long where the server or the profile says so. */
function step({ phase, renew, poll }: Decision, timed: boolean): string {
  const words: string[] = [phase.is]
  if ('reason' in phase) words.push(phase.reason)
  if (phase.is === 'succeeded' && phase.bodyLost) words.push('without its body')
  if (timed && 'waitMs' in phase && phase.waitMs !== undefined) words.push(`${phase.waitMs} ms`)
  if (poll !== undefined) words.push(`at ${poll}`)
  if (renew) words.push('with a fresh token')
  return words.join(' ')
}
