import { json, problem } from './answers.ts'
import { controls } from './controls.ts'
import type { Answer } from './exchange.ts'
import type { FaultInput, When } from './faults.ts'
import type { Settings } from './settings.ts'
import type { Rows } from './tables.ts'

/** The addresses under which a page looks at the server and breaks it. No fault ever strikes them. */
export const ADMIN_PATHS = [
  '/ledger',
  '/log',
  '/keys',
  '/faults',
  '/forget-keys',
  '/reset',
] as const

/** The body of `PUT /faults`: what is given replaces what was. */
export interface FaultPlan {
  readonly rules?: readonly (When & { readonly fault: FaultInput })[]
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
  try {
    const plan = JSON.parse(new TextDecoder().decode(body)) as FaultPlan
    if (plan.rules) {
      controls.clearFaults(rows)
      for (const { fault, ...when } of plan.rules) controls.next(rows, fault, when)
    }
    if (plan.network) controls.network(rows, plan.network)
    return json(200, { rules: rows.rules, network: rows.network })
  } catch (error) {
    return problem(400, 'about:blank', 'Bad Request', String(error))
  }
}
