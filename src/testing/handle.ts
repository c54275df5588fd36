import { administer, isAdmin } from './admin.ts'
import { html, httpDate, signedOut } from './answers.ts'
import { controls } from './controls.ts'
import { safelisted } from './cors.ts'
import { digest } from './digest.ts'
import { endingAfter, endingBefore, SIGN_IN_PATH } from './endings.ts'
import type { Admitted, Answer, Ending, Head, Step } from './exchange.ts'
import { takeFault } from './faults.ts'
import { completeDue, placeOrder, sayOn } from './orders.ts'
import type { Target } from './routes.ts'
import { isUnderRoute, namesOf, targetOf } from './routes.ts'
import type { Settings } from './settings.ts'
import type { Delivery, DeliveryReply, Rows } from './tables.ts'
import { note } from './tables.ts'
import { whatHappened } from './what-happened.ts'

/** A request has arrived: into the log with it, and with the fault that strikes it. */
export function admit(rows: Rows, head: Head, settings: Settings, now: number): Admitted {
  const url = new URL(head.url)
  const { pathname } = url
  if (isAdmin(settings, pathname)) return { is: 'read-body', delivery: undefined }
  if (rows.network === 'down') return { is: 'lost' }
  const { method, headers, reused } = head
  const target = targetOf(settings.routes, method, url)
  if (!target) return { is: 'read-body', delivery: undefined }

  const names = namesOf(target.route, { headers, url, parts: target.parts })
  const name = names.key ?? names.token
  const before = [...rows.deliveries.values()].filter(
    other =>
      other.method === method &&
      (name === undefined ? other.path === pathname : (other.key ?? other.token) === name),
  )
  const attempt = before.length + 1
  rows.delivered += 1
  const delivery = note(rows, {
    number: rows.delivered,
    at: now,
    method,
    path: pathname,
    headers,
    ...names,
    principal: settings.session(headers) ?? undefined,
    attempt,
    bodyDigest: undefined,
    reused,
    fault: takeFault(rows, head, attempt, target.is),
    effect: 'none',
    answersAt: undefined,
    answer: undefined,
    reply: { is: 'none' },
  })
  if (delivery.fault?.is !== 'lose-request') {
    return { is: 'read-body', delivery: delivery.number }
  }
  conclude(rows, delivery, { is: 'lost' }, settings, now)
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
  const target = targetOf(settings.routes, head.method, url)
  if (!admitted || !target) return { is: 'lost' }
  const delivery = note(rows, admitted, { bodyDigest: digest(body) })
  const ending = endingBefore(delivery.fault, head, now)
  if (ending) return conclude(rows, delivery, ending, settings, now)
  if (delivery.fault?.is === 'forget-keys') controls.forgetKeys(rows)
  if (target.is === 'order') {
    const placed = placeOrder(rows, delivery, head, body, target, settings, now)
    note(rows, rows.deliveries.get(number) ?? delivery, placed)
  } else {
    note(rows, delivery, { answer: told(rows, delivery, target, now), answersAt: dueAt(delivery) })
  }
  completeDue(rows, settings, now)
  return collect(rows, number, settings, now)
}

/** Ends a delivery whose answer is there, or says when it will be. */
export function collect(rows: Rows, number: number, settings: Settings, now: number): Step {
  const delivery = rows.deliveries.get(number)
  // Everything was reset in the meantime: nobody knows of this delivery any more.
  if (!delivery) return { is: 'lost' }
  const { fault, answer, answersAt = now } = delivery
  const lost = () => conclude(rows, delivery, { is: 'lost' }, settings, now)
  if (fault?.is === 'hang-up') return lost()
  if (answersAt > now) return { is: 'wait', ms: answersAt - now, delivery: number }
  // Its process has died before it could say anything.
  if (!answer) return lost()
  return conclude(rows, delivery, endingAfter(fault, answer, now), settings, now)
}

export function isServed(settings: Settings, pathname: string): boolean {
  return (
    pathname === SIGN_IN_PATH ||
    isAdmin(settings, pathname) ||
    isUnderRoute(settings.routes, pathname)
  )
}

/** What is answered beside orders: tokens, jobs, states, and what happened. */
function told(
  rows: Rows,
  { principal }: Delivery,
  target: Exclude<Target, { is: 'order' }>,
  now: number,
): Answer {
  if (principal === undefined) return signedOut()
  if (target.is === 'what-happened') return whatHappened(rows, principal, target)
  const { aside, parts, route } = target
  return aside.answer(rows, { principal, parts, now, say: sayOn(route) })
}

function dueAt({ at, fault }: Delivery): number {
  return fault?.is === 'slow' || fault?.is === 'slow-reply' ? at + fault.ms : at
}

function page(url: URL): Answer {
  return url.pathname === SIGN_IN_PATH ? html(200, 'Sign in') : html(404, 'Not found')
}

/** Writes into the log what goes back. */
function conclude(
  rows: Rows,
  delivery: Delivery,
  ending: Ending,
  { requestIdHeader }: Settings,
  now: number,
): Ending {
  note(rows, delivery, { reply: replyOf(ending, now) })
  if (!('answer' in ending)) return ending
  const requestId = delivery.headers[requestIdHeader.toLowerCase()]
  const { answer, is } = dated(ending.answer, now, ending.is)
  const headers = { ...answer.headers, ...(requestId && { [requestIdHeader]: requestId }) }
  const hidden = delivery.fault?.is === 'hide-headers'
  return { is, answer: { ...answer, headers: hidden ? safelisted(headers) : headers } }
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
): Extract<Ending, { answer: Answer }> {
  const headers = { 'cache-control': 'no-store', date: httpDate(now), ...answer.headers }
  return { is, answer: { ...answer, headers } }
}
