import { problem, signedOut } from './answers.ts'
import { digest } from './digest.ts'
import { hasEffect } from './endings.ts'
import type { Answer, Head } from './exchange.ts'
import { faultAnswer } from './fault-answer.ts'
import type { Fault } from './faults.ts'
import { fieldsOf, text } from './fields.ts'
import type { Asked, Finished } from './mechanisms/mechanism.ts'
import type { Route, Target } from './routes.ts'
import { namesOf } from './routes.ts'
import type { Finding } from './say.ts'
import { say } from './say.ts'
import type { Settings } from './settings.ts'
import { blankAddress } from './settings.ts'
import type { Delivery, Order, Rows, Work } from './tables.ts'
import { note } from './tables.ts'

/** What is known of a delivery after it was looked at. */
type Placed = Pick<Delivery, 'answer' | 'answersAt' | 'effect'>

/**
 * Looks and takes: an answer, or work that has begun. What comes back is to be written into the log, and then all work
 * that is due completed.
 */
export function placeOrder(
  rows: Rows,
  admitted: Delivery,
  head: Head,
  body: Uint8Array,
  target: Extract<Target, { is: 'order' }>,
  settings: Settings,
  now: number,
): Placed {
  const { number, method, path, principal, fault } = admitted
  const { route, parts } = target
  const replyMs = fault?.is === 'slow-reply' ? fault.ms : 0
  const reply = (answer: Answer, effect: Delivery['effect'] = 'none'): Placed => {
    return { answer, effect, answersAt: now + replyMs }
  }

  if (principal === undefined) return reply(signedOut())
  const fields = fieldsOf(head, body)
  if (!fields) return reply(problem(400, 'about:blank', 'Bad Request', 'The body is not JSON.'))
  const carrier = { headers: head.headers, url: new URL(head.url), parts, fields }
  const names = namesOf(route, carrier)
  note(rows, admitted, names)

  const finishesAt = now + workMs(fault, route, settings)
  const asked: Asked = {
    ...carrier,
    ...names,
    principal,
    method,
    path,
    fingerprint: `${method} ${path} ${digest(body)}`,
    delivery: number,
    now,
    finishesAt,
    strict: route.options.requireKey !== false,
    say: sayOn(route),
    replyOf: order => replyOf(route, order),
  }
  const taken = fault?.is === 'false-replay' ? {} : take(rows, route, asked)
  if (taken.is === 'answered') return reply(taken.answer, taken.replayed ? 'replayed' : 'none')

  const wrong = (route.options.validate ?? blankAddress)(fields)
  const refusal =
    wrong === undefined ? undefined : asked.say({ word: 'failed', subject: 'order', detail: wrong })
  if (refusal && !taken.early) {
    finish(rows, route, { delivery: number, how: 'refused', order: undefined, answer: refusal })
    return reply(refusal)
  }

  const order = {
    ...names,
    shop: text(fields.shop ?? head.headers['x-shop']) ?? route.options.shop ?? path,
    item: text(fields.item) ?? '',
    amount: Number(fields.amount) || 0,
    operation: text(fields.operation ?? head.headers['x-operation']),
    principal,
    delivery: number,
    path,
  }
  const stored = fault?.is === 'status' && fault.stored
  rows.work.set(number, {
    delivery: number,
    path,
    finishesAt,
    how: fault?.is === 'crash' ? 'crashed' : refusal ? 'refused' : 'worked',
    answer: refusal ?? (stored ? faultAnswer(fault, now) : undefined),
    order: refusal || isWithoutEffect(fault) ? undefined : order,
  })
  return taken.early
    ? reply(taken.early, 'under-way')
    : { answer: undefined, effect: 'under-way', answersAt: finishesAt + replyMs }
}

/** Asks one mechanism after the other, and undoes what was taken when one of them answers. */
function take(
  rows: Rows,
  route: Route,
  asked: Asked,
):
  | { readonly is: 'answered'; readonly answer: Answer; readonly replayed?: boolean }
  | { readonly is?: 'taken'; readonly early?: Answer } {
  const undos: (() => void)[] = []
  let early: Answer | undefined
  for (const mechanism of route.mechanisms) {
    const taken = mechanism.take(rows, asked)
    if (taken?.is === 'answered') {
      for (const undo of undos.reverse()) undo()
      return taken
    }
    if (taken?.undo) undos.push(taken.undo)
    early ??= taken?.early
  }
  return { is: 'taken', ...(early && { early }) }
}

/** Completes all work whose time has come, whoever began it. */
export function completeDue(rows: Rows, settings: Settings, now: number): void {
  const due = [...rows.work.values()].filter(work => work.finishesAt <= now)
  for (const work of due.sort((a, b) => a.finishesAt - b.finishesAt)) {
    complete(rows, work, settings)
  }
}

function complete(rows: Rows, work: Work, settings: Settings): void {
  rows.work.delete(work.delivery)
  const order: Order | undefined = work.order && {
    ...work.order,
    id: `order-${rows.orders.length + 1}`,
    at: work.finishesAt,
  }
  if (order) rows.orders = [...rows.orders, order]
  const route = settings.routes.find(({ match }) => match(work.path))
  const answer = work.answer ?? (order && route && placed(rows, route, order))
  if (route) finish(rows, route, { delivery: work.delivery, how: work.how, order, answer })
  const delivery = rows.deliveries.get(work.delivery)
  if (!delivery) return
  note(rows, delivery, {
    answer: delivery.answer ?? (work.how === 'crashed' ? undefined : answer),
    effect: order ? 'executed' : 'none',
  })
}

function placed(rows: Rows, route: Route, order: Order): Answer {
  const shaped = route.mechanisms.map(each => each.reply?.(rows, order)).find(Boolean)
  const data = route.options.reply || !shaped ? replyOf(route, order) : shaped.data
  return sayOn(route)({ word: 'done', ...shaped, data })
}

/** The JSON that answers an order. */
export function replyOf(route: Route, order: Order): unknown {
  const { id, item, amount } = order
  return route.options.reply ? route.options.reply(order) : { id, item, amount }
}

export function sayOn(route: Route): (finding: Finding) => Answer {
  return finding => say(route.options, finding)
}

function finish(rows: Rows, route: Route, finished: Finished): void {
  for (const mechanism of route.mechanisms) mechanism.finish?.(rows, finished)
}

function isWithoutEffect(fault: Fault | undefined): boolean {
  if (fault?.is === 'crash') return fault.effect === false
  return fault?.is === 'status' && !hasEffect(fault)
}

function workMs(fault: Fault | undefined, route: Route, settings: Settings): number {
  if (fault?.is === 'slow' || fault?.is === 'hang-up') return fault.ms
  return route.options.workMs ?? settings.workMs
}
