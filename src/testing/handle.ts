import { administer, isAdmin } from './admin.ts'
import { html, httpDate, json, problem, signedOut } from './answers.ts'
import { digest } from './digest.ts'
import { endingAfter, endingBefore, SIGN_IN_PATH } from './endings.ts'
import type { Admitted, Answer, Ending, Head, Step } from './exchange.ts'
import { takeFault } from './faults.ts'
import { completeDue, placeOrder } from './orders.ts'
import type { Settings } from './settings.ts'
import type { Delivery, DeliveryReply, Rows } from './tables.ts'
import { note } from './tables.ts'

/** A request has arrived: into the log with it, and with the fault that strikes it. */
export function admit(rows: Rows, head: Head, settings: Settings, now: number): Admitted {
  const { pathname } = new URL(head.url)
  if (isAdmin(settings, pathname)) return { is: 'read-body', delivery: undefined }
  if (rows.network === 'down') return { is: 'lost' }
  const { method, headers, reused } = head
  if (!isTaken(settings, method, pathname)) return { is: 'read-body', delivery: undefined }

  const key = headers['idempotency-key'] || undefined
  const before = [...rows.deliveries.values()].filter(
    other =>
      other.method === method &&
      other.key === key &&
      (key !== undefined || other.path === pathname),
  )
  const attempt = before.length + 1
  rows.delivered += 1
  const delivery = note(rows, {
    number: rows.delivered,
    at: now,
    method,
    path: pathname,
    headers,
    key,
    principal: settings.session(headers) ?? undefined,
    attempt,
    bodyDigest: undefined,
    reused,
    fault: method === 'GET' ? undefined : takeFault(rows, head, attempt),
    effect: 'none',
    answersAt: undefined,
    answer: undefined,
    reply: { is: 'none' },
  })
  if (delivery.fault?.is !== 'lose-request') {
    return { is: 'read-body', delivery: delivery.number }
  }
  conclude(rows, delivery, { is: 'lost' }, now)
  return { is: 'lost' }
}

/** The body is there: decides, executes, and says how it ends or when to come back. */
export function handle(
  rows: Rows,
  head: Head,
  number: number | undefined,
  body: Uint8Array,
  settings: Settings,
  now: number,
): Step {
  const url = new URL(head.url)
  if (number === undefined) {
    return dated(administer(rows, head.method, url, body, settings) ?? page(url), now)
  }
  const admitted = rows.deliveries.get(number)
  if (!admitted) return { is: 'lost' }
  const delivery = note(rows, admitted, { bodyDigest: digest(body) })
  if (head.method === 'GET') {
    return conclude(
      rows,
      delivery,
      { is: 'answer', answer: whatHappened(rows, delivery, url) },
      now,
    )
  }
  const ending = endingBefore(delivery.fault, head, now)
  if (ending) return conclude(rows, delivery, ending, now)
  if (delivery.fault?.is === 'forget-keys') rows.dedupe.clear()
  note(rows, delivery, placeOrder(rows, delivery, head, body, settings, now))
  completeDue(rows, settings, now)
  return collect(rows, number, now)
}

/** Ends a delivery whose answer is there, or says when it will be. */
export function collect(rows: Rows, number: number, now: number): Step {
  const delivery = rows.deliveries.get(number)
  // Everything was reset in the meantime: nobody knows of this delivery any more.
  if (!delivery) return { is: 'lost' }
  const { fault, answer, answersAt = now } = delivery
  if (fault?.is === 'hang-up') return conclude(rows, delivery, { is: 'lost' }, now)
  if (!answer || answersAt > now) return { is: 'wait', ms: answersAt - now, delivery: number }
  return conclude(rows, delivery, endingAfter(fault, answer, now), now)
}

/** Methods that place an order; a preflight must not. */
const EFFECTFUL: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE']

function isTaken(settings: Settings, method: string, pathname: string): boolean {
  if (method === 'GET') return isUnderRoute(settings, pathname)
  return EFFECTFUL.includes(method) && Object.hasOwn(settings.routes, pathname)
}

/** A route, or `<route>/by-key/<key>`. */
export function isUnderRoute(settings: Settings, pathname: string): boolean {
  return Object.hasOwn(settings.routes, pathname.replace(/\/by-key\/[^/]+$/, ''))
}

/** `GET <route>/by-key/<key>` and `GET <route>?key=<key>`. */
function whatHappened(rows: Rows, { principal, path }: Delivery, url: URL): Answer {
  if (principal === undefined) return signedOut()
  const named = /\/by-key\/([^/]+)$/.exec(path)?.[1]
  const key = named === undefined ? url.searchParams.get('key') : decodeURIComponent(named)
  if (!key) return problem(400, 'about:blank', 'Bad Request', 'Say which key: ?key=…')
  const mine = (row: { principal: string; key: string | undefined }) =>
    row.principal === principal && row.key === key
  const order = rows.orders.find(mine)
  if (order) return json(200, { state: 'done', order })
  const row = [...rows.dedupe.values()].find(mine)
  return row
    ? json(200, { state: row.status, finishesAt: row.finishesAt })
    : json(404, { state: 'unknown' })
}

function page(url: URL): Answer {
  return url.pathname === SIGN_IN_PATH ? html(200, 'Sign in') : html(404, 'Not found')
}

/** Writes into the log what goes back. */
function conclude(rows: Rows, delivery: Delivery, ending: Ending, now: number): Ending {
  note(rows, delivery, { reply: replyOf(ending, now) })
  return 'answer' in ending ? dated(ending.answer, now, ending.is) : ending
}

function replyOf(ending: Ending, at: number): DeliveryReply {
  switch (ending.is) {
    case 'hang':
      return { is: 'none' }
    case 'lost':
    case 'reset':
      return { is: 'lost', at }
    case 'answer':
      return { is: 'answered', at, status: ending.answer.status }
    case 'stall':
      return { is: 'stalled', at, status: ending.answer.status }
    default:
      return { is: ending.is, at, status: ending.answer.status }
  }
}

/** `Date` by the server's clock, so that a `Retry-After` that is a date can be read against it. */
function dated(
  answer: Answer,
  now: number,
  is: Extract<Ending, { answer: Answer }>['is'] = 'answer',
): Ending {
  const headers = { 'cache-control': 'no-store', date: httpDate(now), ...answer.headers }
  return { is, answer: { ...answer, headers } }
}
