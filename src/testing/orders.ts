import { faultAnswer, invalidFields, json, problem, signedOut } from './answers.ts'
import { digest } from './digest.ts'
import { hasEffect } from './endings.ts'
import type { Answer, Head } from './exchange.ts'
import type { Fault } from './faults.ts'
import { dedupeTable } from './mechanisms/dedupe-table.ts'
import type { Asked, Mechanism } from './mechanisms/mechanism.ts'
import type { Fields, Settings } from './settings.ts'
import { blankAddress } from './settings.ts'
import type { Delivery, Order, Rows } from './tables.ts'
import { note } from './tables.ts'

/** Asked in this order. */
const mechanisms: readonly Mechanism[] = [dedupeTable]

/**
 * Looks and takes: an answer, or work that has begun. What comes back is to be written into the log, and then all work
 * that is due completed.
 */
export function placeOrder(
  rows: Rows,
  delivery: Delivery,
  head: Head,
  body: Uint8Array,
  settings: Settings,
  now: number,
): Pick<Delivery, 'answer' | 'answersAt' | 'effect'> {
  const { number, method, path, key, principal, fault } = delivery
  const replyMs = fault?.is === 'slow-reply' ? fault.ms : 0
  const say = (answer: Answer, effect: Delivery['effect'] = 'none') => {
    return { answer, effect, answersAt: now + replyMs }
  }

  if (principal === undefined) return say(signedOut())
  const fields = fieldsOf(head, body)
  if (!fields) return say(problem(400, 'about:blank', 'Bad Request', 'The body is not JSON.'))

  const route = settings.routes[path] ?? {}
  const finishesAt = now + workMs(fault, settings)
  const asked: Asked = {
    principal,
    key,
    fingerprint: `${method} ${path} ${digest(body)}`,
    delivery: number,
    route,
    now,
    finishesAt,
    expiresAt: now + settings.keyTtlMs,
  }
  for (const mechanism of mechanisms) {
    const taken = mechanism.take(rows, asked)
    if (taken) return say(taken.answer, taken.replayed ? 'replayed' : 'none')
  }

  const wrong = (route.validate ?? blankAddress)(fields)
  if (wrong !== undefined) {
    const answer = invalidFields(wrong)
    finish(rows, number, settings.storeRefusals ? answer : undefined)
    return say(answer)
  }

  const status = fault?.is === 'status' ? fault : undefined
  const order = {
    shop: text(fields.shop ?? head.headers['x-shop']) ?? route.shop ?? path,
    item: text(fields.item) ?? '',
    amount: Number(fields.amount) || 0,
    key,
    operation: text(fields.operation ?? head.headers['x-operation']),
    principal,
    delivery: number,
    path,
  }
  rows.work.set(number, {
    delivery: number,
    finishesAt,
    answer: status?.stored ? faultAnswer(status, now) : undefined,
    order: status && !hasEffect(status) ? undefined : order,
  })
  return { answer: undefined, effect: 'under-way', answersAt: finishesAt + replyMs }
}

/** Completes all work whose time has come, whoever began it. */
export function completeDue(rows: Rows, settings: Settings, now: number): void {
  const due = [...rows.work.values()].filter(work => work.finishesAt <= now)
  for (const work of due.sort((a, b) => a.finishesAt - b.finishesAt)) {
    rows.work.delete(work.delivery)
    const order: Order | undefined = work.order && {
      ...work.order,
      id: `order-${rows.orders.length + 1}`,
      at: work.finishesAt,
    }
    if (order) rows.orders = [...rows.orders, order]
    const answer = work.answer ?? (order && placed(order, settings))
    finish(rows, work.delivery, answer)
    const delivery = rows.deliveries.get(work.delivery)
    if (delivery) note(rows, delivery, { answer, effect: order ? 'executed' : 'none' })
  }
}

function placed(order: Order, settings: Settings): Answer {
  const { id, item, amount } = order
  const reply = settings.routes[order.path]?.reply
  return json(201, reply ? reply(order) : { id, item, amount })
}

function finish(rows: Rows, delivery: number, answer: Answer | undefined): void {
  for (const mechanism of mechanisms) mechanism.finish(rows, delivery, answer)
}

function workMs(fault: Fault | undefined, settings: Settings): number {
  return fault?.is === 'slow' || fault?.is === 'hang-up' ? fault.ms : settings.workMs
}

/** Undefined: it says that it is JSON, and is not. Anything but JSON and URL-encoded forms counts as having no fields. */
function fieldsOf(head: Head, body: Uint8Array): Fields | undefined {
  const type = head.headers['content-type'] ?? ''
  const said = new TextDecoder().decode(body)
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(said))
  }
  if (!/\bjson\b/.test(type) || said === '') return {}
  try {
    const value: unknown = JSON.parse(said)
    return typeof value === 'object' && value !== null ? (value as Fields) : {}
  } catch {
    return undefined
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
