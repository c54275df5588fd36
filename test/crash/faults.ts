import type { FaultInput, MockServer, When } from '../../src/testing/index.ts'
import type { World } from '../support/world/world.ts'
import type { Preset } from './presets.ts'
import { JOB_PATH, ORDERS, TOKEN_PATH, worksBy } from './presets.ts'

type Fault = (mock: MockServer, world: World) => void

const next =
  (fault: FaultInput, when?: When): Fault =>
  mock =>
    mock.next(fault, when)

const status = (code: number, rest: Record<string, unknown> = {}): Fault =>
  next({ is: 'status', status: code, ...rest })

const both =
  (...faults: readonly Fault[]): Fault =>
  (mock, world) => {
    for (const fault of faults) fault(mock, world)
  }

/** The first delivery of a key. */
const FIRST: When = { requests: 1, attempts: [1] }

/** How long the network of the server is down. */
const DOWN_MS = 1_500

/** Of whoever answers a token, a job or a question. */
const beside =
  (path: string) =>
  (fault: FaultInput): Fault =>
    next(fault, { method: 'GET', path, requests: 1 })

const ofToken = beside(TOKEN_PATH)
const ofJob = beside(JOB_PATH)
const ofQuestion = beside(`${ORDERS}/by-token/:value`)
const lost = next('lose-reply')

/** What goes wrong in one run; each strikes the first request that it can. */
const FAULTS = {
  nothing: () => {},
  'lose-request': next('lose-request'),
  'lose-reply': next('lose-reply'),
  'lose-reply twice': next('lose-reply', { requests: 2 }),
  'cut-body': next('cut-body'),
  'stall-body': next('stall-body'),
  slow: next({ is: 'slow', ms: 500 }),
  'slow-reply': next({ is: 'slow-reply', ms: 500 }),
  'too slow': next({ is: 'slow', ms: 1_500 }),
  'hang-up': next({ is: 'hang-up', ms: 500 }),
  hang: next('hang'),
  'hang-after-effect': next('hang-after-effect'),
  'reset-reused': next('reset-reused', { requests: 2 }),
  'sign-in': next('sign-in'),
  'captive-portal': next('captive-portal'),
  opaque: next('opaque'),
  '202': status(202, { effect: false }),
  '307': next(307),
  '401': status(401),
  '401 after a lost reply': both(next('lose-reply'), status(401)),
  '403': status(403),
  '404 after a lost reply': both(next('lose-reply'), status(404)),
  '408': status(408),
  '409 with evidence': status(409, { evidence: true }),
  '409 bare': status(409),
  '409 bare after a lost reply': both(next('lose-reply'), status(409)),
  '413': status(413),
  // Of the first delivery only: a server does not refuse what it has executed.
  '422': next({ is: 'status', status: 422 }, FIRST),
  '422 stored': next({ is: 'status', status: 422, stored: true }, FIRST),
  '429': status(429),
  '429 with Retry-After': status(429, { retryAfter: 2 }),
  '500': status(500),
  '500 after the effect': status(500, { effect: true }),
  '503 with Retry-After': status(503, { retryAfter: 2 }),
  '503 with Retry-After of 0': status(503, { retryAfter: 0 }),
  '503 with Retry-After of 10^9': status(503, { retryAfter: 1e9 }),
  'network down': (mock, world) => {
    mock.network('down')
    world.timer(DOWN_MS, () => mock.network('up'))
  },
} satisfies Record<string, Fault>

/** What goes wrong beside an order, or only where the server works in a certain way. */
const SPECIAL_FAULTS = {
  'crash before the effect': next({ is: 'crash', effect: false }),
  'crash after the effect': next('crash'),
  'token lost': ofToken('lose-reply'),
  'token 503': ofToken(503),
  'token hangs': ofToken('hang'),
  // Longer than a token lives.
  'token expires unused': both(next('lose-request'), status(429, { retryAfter: 15 })),
  'token expires used': both(lost, status(429, { retryAfter: 15 })),
  'job lost': ofJob('lose-reply'),
  'job 500': ofJob(500),
  'job hangs': ofJob('hang'),
  'question lost': both(lost, ofQuestion('lose-reply')),
  'question 500': both(lost, ofQuestion(500)),
  'question hangs': both(lost, ofQuestion('hang')),
} satisfies Record<string, Fault>

export type OrderFaultName = keyof typeof FAULTS
type SpecialFaultName = keyof typeof SPECIAL_FAULTS
export type FaultName = OrderFaultName | SpecialFaultName
const SPECIAL_FAULT_NAMES = Object.keys(SPECIAL_FAULTS) as readonly SpecialFaultName[]
export const FAULT_NAMES = Object.keys(FAULTS) as readonly OrderFaultName[]

/** Breaks what is about to begin. */
export function strike(name: FaultName, mock: MockServer, world: World): void {
  const faults: Readonly<Record<FaultName, Fault>> = { ...FAULTS, ...SPECIAL_FAULTS }
  faults[name](mock, world)
}

/** What goes wrong only with certain presets. */
export function specialFaults(preset: Preset): readonly SpecialFaultName[] {
  const byToken = worksBy(preset, 'token')
  const byJob = worksBy(preset, 'accepted')
  const kinds = [
    ...(byToken ? ['token'] : []),
    ...(byToken && preset.profile.recover ? ['question'] : []),
    ...(byJob ? ['job', 'crash after'] : []),
    ...(byToken || worksBy(preset, 'lock') ? ['crash'] : []),
  ]
  return SPECIAL_FAULT_NAMES.filter(name => kinds.some(kind => name.startsWith(kind)))
}

/** Those that lead to all the different places, so that every interruption is tried with each. */
export const IMPORTANT_FAULTS: readonly OrderFaultName[] = [
  'nothing',
  'lose-request',
  'lose-reply',
  'cut-body',
  'hang',
  'slow',
  '409 with evidence',
  '503 with Retry-After',
]
