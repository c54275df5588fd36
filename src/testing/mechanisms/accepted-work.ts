import type { JobRow } from '../mechanism-rows.ts'
import type { Place, Pointer } from '../places.ts'
import type { Finding } from '../say.ts'
import type { Aside, Mechanism } from './mechanism.ts'
import { placeOf, titleOf } from './mechanism.ts'

/** Work that is accepted at once (202) and whose outcome is to be had at an address of its own. */
export interface AcceptedOptions {
  readonly is: 'accepted'
  /** The address of a job. @default '/api/jobs/:id' */
  readonly path?: `${string}:id`
  /** Where the answer has it: the name of a header, or a pointer into its `data`. @default 'location' */
  readonly address?: string
  /** Names the work, so that a repeat is told the same address; without it each request is new work. @default { header: 'idempotency-key' } */
  readonly key?: Place
  /** How long to wait before the first and between two looks, in milliseconds. @default 1_000 */
  readonly retryAfterMs?: number
  /** The status of a result. @default 200 */
  readonly resultStatus?: number
}

const ONE_SECOND_MS = 1_000

export function acceptedWork(options: AcceptedOptions): Mechanism {
  const { key = { header: 'idempotency-key' }, path = '/api/jobs/:id' } = options
  const { address = 'location', retryAfterMs = ONE_SECOND_MS } = options
  const subject = titleOf(key)

  const accepted = (job: JobRow): Finding => {
    const url = path.replace(':id', job.id)
    const inBody = address.startsWith('/')
    return {
      word: 'accepted',
      retryAfterMs,
      data: { id: job.id, state: job.status, ...(inBody && nested(address as Pointer, url)) },
      headers: inBody ? {} : { [address]: url },
    }
  }

  return {
    names: { key },
    asides: [polling(path, accepted, options.resultStatus ?? 200)],

    take(rows, asked) {
      const { principal, fingerprint, delivery, finishesAt } = asked
      const id = `job-${delivery}`
      const at = asked.key ? placeOf(principal, asked.key) : id
      const job = rows.jobs.get(at)
      if (job) {
        const finding: Finding =
          job.fingerprint === fingerprint ? accepted(job) : { word: 'mismatch', subject }
        return { is: 'answered', answer: asked.say(finding), replayed: finding.word === 'accepted' }
      }
      const row: JobRow = {
        id,
        principal,
        key: asked.key,
        fingerprint,
        status: 'processing',
        answer: undefined,
        delivery,
        finishesAt,
      }
      rows.jobs.set(at, row)
      return {
        is: 'taken',
        undo: () => rows.jobs.delete(at),
        early: asked.say(accepted(row)),
      }
    },

    // A job whose process died without an effect stays "processing": nobody is left to say otherwise.
    finish(rows, { delivery, how, order, answer }) {
      if (how === 'crashed' && !order) return
      for (const [at, row] of rows.jobs) {
        if (row.delivery === delivery) {
          rows.jobs.set(at, { ...row, status: order ? 'done' : 'failed', answer })
        }
      }
    },

    look(rows, principal, name, value) {
      const row = name === 'key' ? rows.jobs.get(placeOf(principal, value)) : undefined
      return row && { state: row.status, finishesAt: row.finishesAt }
    },
  }
}

function polling(path: string, accepted: (job: JobRow) => Finding, resultStatus: number): Aside {
  return {
    methods: ['GET'],
    path,
    answer(rows, { principal, parts, say }) {
      const job = [...rows.jobs.values()].find(({ id }) => id === parts.id)
      if (job?.principal !== principal) return say({ word: 'not-found', subject: 'job' })
      if (job.status === 'processing' || !job.answer) return say(accepted(job))
      return job.status === 'done' ? { ...job.answer, status: resultStatus } : job.answer
    },
  }
}

function nested(pointer: Pointer, value: unknown): Readonly<Record<string, unknown>> {
  return pointer
    .slice(1)
    .split('/')
    .reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as Record<string, unknown>
}
