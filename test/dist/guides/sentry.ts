// Your SDK has them too: '@sentry/browser', '@sentry/react'.
import { addBreadcrumb, captureMessage, metrics } from '@sentry/core'
import type { SendonceEvent } from 'sendonce'
import type { Count } from './counters.ts'
import { hear, kindOf } from './counters.ts'

export const count: Count = (name, attributes) => metrics.count(name, 1, { attributes })

/** A breadcrumb for each step; a message for what a developer should look at. */
export function onEvent(event: SendonceEvent): void {
  hear(count, event)
  const { type, at, operation, ...data } = event
  const message = `${kindOf(operation)}: ${type}`
  addBreadcrumb({ category: 'sendonce', message, timestamp: at / 1_000, data })
  switch (event.type) {
    case 'unknown':
      // A warning, and not an error: nobody knows. One issue for each reason.
      captureMessage(`sendonce: unknown: ${event.reason}`, 'warning')
      break
    case 'not-durable':
    case 'record-set-aside':
    case 'record-expired':
      captureMessage(`sendonce: ${type}`, 'warning')
  }
}
