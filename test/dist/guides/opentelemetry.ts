import type { Counter, Span } from '@opentelemetry/api'
import { metrics, trace } from '@opentelemetry/api'
import type { SendonceEvent } from 'sendonce'
import type { Count } from './counters.ts'
import { hear, kindOf } from './counters.ts'

const counters = new Map<string, Counter>()

export const count: Count = (name, attributes) => {
  const counter = counters.get(name) ?? metrics.getMeter('sendonce').createCounter(name)
  counters.set(name, counter)
  counter.add(1, attributes)
}

const attempts = new Map<string, Span>()

/** A span for each attempt, from the moment it leaves to what came of it. */
export function onEvent(event: SendonceEvent): void {
  hear(count, event)
  const { at, operation, keyTail = '', attempt } = event
  const id = `${operation} ${attempt}`
  if (event.type === 'sent') {
    const attributes = {
      'sendonce.operation': kindOf(operation),
      'sendonce.key_tail': keyTail,
      'sendonce.attempt': attempt,
    }
    const tracer = trace.getTracer('sendonce')
    attempts.set(id, tracer.startSpan('sendonce.attempt', { startTime: at, attributes }))
    return
  }
  if (event.type !== 'answered' && event.type !== 'unanswered') return
  const span = attempts.get(id)
  attempts.delete(id)
  if (event.type === 'answered') {
    span?.setAttribute('http.response.status_code', event.status)
    span?.setAttribute('sendonce.verdict', event.verdict)
  } else span?.setAttribute('sendonce.unanswered', event.because)
  // No status ERROR: an attempt without an answer may have done its work.
  span?.end(at)
}
