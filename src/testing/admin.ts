import { json, problem } from './answers.ts'
import { controls } from './controls.ts'
import type { Answer } from './exchange.ts'
import type { FaultInput, When } from './faults.ts'
import type { BeginningState } from './mechanisms/state-machine.ts'
import type { Settings } from './settings.ts'
import type { Rows } from './tables.ts'

/** The addresses under which a page looks at the server and breaks it. No fault ever strikes them. */
export const ADMIN_PATHS = [
  '/ledger',
  '/log',
  '/keys',
  '/tables',
  '/states',
  '/faults',
  '/forget-keys',
  '/reset',
] as const

/** The body of `PUT /faults`: what is given replaces what was. */
export interface FaultPlan {
  /** Take the place of those before: each a `fault` and when it strikes. */
  readonly rules?: readonly (When & { readonly fault: FaultInput })[]
  /** `down`: everything fails. */
  readonly network?: 'up' | 'down'
}

export function isAdmin(settings: Settings, pathname: string): boolean {
  return ADMIN_PATHS.some(path => settings.admin !== false && pathname === settings.admin + path)
}

export function administer(
  rows: Rows,
  method: string,
  url: URL,
  body: Uint8Array,
  settings: Settings,
): Answer | undefined {
  if (!isAdmin(settings, url.pathname)) return undefined
  const query = Object.fromEntries(url.searchParams)
  switch (`${method} ${url.pathname.slice(String(settings.admin).length)}`) {
    case 'GET /ledger':
      return json(200, controls.ledger(rows, query))
    case 'GET /log':
      return json(200, controls.log(rows, query))
    case 'GET /keys':
      return json(200, controls.keys(rows))
    case 'GET /tables':
      return json(200, controls.tables(rows))
    case 'PUT /states':
      return putStates(rows, body)
    case 'GET /faults':
      return json(200, { rules: rows.rules, network: rows.network })
    case 'PUT /faults':
      return putFaults(rows, body)
    case 'POST /forget-keys':
      controls.forgetKeys(rows)
      return json(200, {})
    case 'POST /reset':
      controls.reset(rows)
      return json(200, {})
    default:
      return problem(405, 'about:blank', 'Method Not Allowed', `${method} has no meaning here.`)
  }
}

function putFaults(rows: Rows, body: Uint8Array): Answer {
  return put<FaultPlan>(body, plan => {
    if (plan.rules) {
      controls.clearFaults(rows)
      for (const { fault, ...when } of plan.rules) controls.next(rows, fault, when)
    }
    if (plan.network) controls.network(rows, plan.network)
    return { rules: rows.rules, network: rows.network }
  })
}

/** The body of `PUT /states`: by id of the order. */
function putStates(rows: Rows, body: Uint8Array): Answer {
  return put<Readonly<Record<string, BeginningState>>>(body, plan => {
    for (const [id, { state, version }] of Object.entries(plan)) {
      controls.putState(rows, id, state, version)
    }
    return controls.tables(rows).states
  })
}

function put<Plan>(body: Uint8Array, run: (plan: Plan) => unknown): Answer {
  try {
    return json(200, run(JSON.parse(new TextDecoder().decode(body)) as Plan))
  } catch (error) {
    return problem(400, 'about:blank', 'Bad Request', String(error))
  }
}
