import { json, problem } from './answers.ts'
import type { Answer } from './exchange.ts'
import { replyOf, sayOn } from './orders.ts'
import type { Target } from './routes.ts'
import type { Rows } from './tables.ts'

/** Answers who asks what became of an operation: `done`, `processing`, `failed`, or `unknown` with a 404. */
export function whatHappened(
  rows: Rows,
  principal: string,
  { route, name, value }: Extract<Target, { is: 'what-happened' }>,
): Answer {
  if (!value) return problem(400, 'about:blank', 'Bad Request', 'Say which key: ?key=…')
  const say = sayOn(route)
  const order = rows.orders.find(placed => placed.principal === principal && placed[name] === value)
  if (order) {
    const data = { state: 'done', order, data: replyOf(route, order) }
    return say({ word: 'done', status: 200, data })
  }
  for (const mechanism of route.mechanisms) {
    const found = mechanism.look?.(rows, principal, name, value)
    if (found) return say({ word: 'done', status: 200, data: found })
  }
  const data = { state: 'unknown' }
  return route.options.answers === 'envelope' ? say({ word: 'not-found', data }) : json(404, data)
}
