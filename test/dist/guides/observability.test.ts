import type { Attributes, Meter, Span, SpanOptions, Tracer } from '@opentelemetry/api'
import { metrics, trace } from '@opentelemetry/api'
import type { Event } from '@sentry/core'
import { createTransport, getCurrentScope, initAndBind } from '@sentry/core'
import { ServerRuntimeClient } from '@sentry/core/server'
import type { SendonceEvent } from 'sendonce'
import { createClient } from 'sendonce'
import { createMockServer } from 'sendonce/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hear } from './counters.ts'
import * as otel from './opentelemetry.ts'
import * as sentry from './sentry.ts'

const server = createMockServer()
const request = { url: 'http://shop.test/api/orders', json: { item: 'tea' } }

beforeEach(() => void vi.stubGlobal('fetch', server.fetch))
afterEach(() => {
  server.reset()
  vi.unstubAllGlobals()
  trace.disable()
  metrics.disable()
})

const open = (onEvent: (event: SendonceEvent) => void) =>
  createClient({
    scope: 'ada',
    storage: 'memory',
    retry: { baseDelayMs: 1, maxAttempts: 3 },
    // However slow the machine is: a click too many is one.
    joinMs: 60_000,
    onEvent,
  })

/** The course of a bad day: one lost reply with a double click, one click too many, one that nobody knows. */
async function badDay(onEvent: (event: SendonceEvent) => void) {
  const api = open(onEvent)
  const submit = (name: string) => api.submit(name, request)
  server.next('lose-reply')
  const first = api.submit('checkout:1', request)
  await Promise.all([submit('checkout:1'), first])
  await submit('checkout:1')
  server.next('lose-reply', { requests: 3 })
  await submit('checkout:2')
  server.next(400)
  await submit('checkout:3')
  await api.idle()
}

const TALLY = {
  'sendonce.duplicates_stopped checkout': 2,
  'sendonce.repeats checkout': 3,
  'sendonce.replays checkout': 1,
  'sendonce.unknowns checkout attempts': 1,
}

function tally() {
  const counts: Record<string, number> = {}
  const count = (name: string, attributes: Attributes) => {
    const label = [name, ...Object.values(attributes)].join(' ')
    counts[label] = (counts[label] ?? 0) + 1
  }
  return { counts, count }
}

describe('the counters', () => {
  it('count duplicates that were stopped, repeats, replays and what nobody knows', async () => {
    const { counts, count } = tally()
    await badDay(event => hear(count, event))
    expect(counts).toEqual(TALLY)
    expect(server.ledger()).toHaveLength(2)
  })

  it('count nothing on a good day', async () => {
    const { counts, count } = tally()
    const api = open(event => hear(count, event))
    await api.submit('checkout:1', request)
    expect(counts).toEqual({})
  })
})

describe('with OpenTelemetry', () => {
  it('the same is counted, and every attempt is a span that ends', async () => {
    const { counts, count } = tally()
    const spans: { name: string; attributes: Attributes; ended: boolean }[] = []
    const meter = {
      createCounter: (name: string) => ({ add: (_: 1, more: Attributes) => count(name, more) }),
    }
    const tracer = {
      startSpan(name: string, { attributes = {} }: SpanOptions) {
        const span = { name, attributes: { ...attributes }, ended: false }
        spans.push(span)
        const self = {
          setAttribute: (key: string, value: string) => {
            span.attributes[key] = value
            return self
          },
          end: () => {
            span.ended = true
          },
        }
        return self as unknown as Span
      },
    }
    metrics.setGlobalMeterProvider({ getMeter: () => meter as unknown as Meter })
    trace.setGlobalTracerProvider({ getTracer: () => tracer as unknown as Tracer })
    await badDay(otel.onEvent)
    expect(counts).toEqual(TALLY)
    expect(spans).toHaveLength(server.log().length)
    expect(spans.every(({ ended }) => ended)).toBe(true)
    const [lost, again] = spans
    expect(lost?.attributes).toMatchObject({
      'sendonce.attempt': 1,
      'sendonce.unanswered': 'network',
    })
    expect(again?.attributes).toMatchObject({
      'sendonce.attempt': 2,
      'sendonce.verdict': 'success',
      'http.response.status_code': 201,
    })
    for (const { key = '' } of server.log()) expect(JSON.stringify(spans)).not.toContain(key)
  })
})

describe('with Sentry', () => {
  it('a warning tells of what nobody knows, with the steps that led there and no whole key', async () => {
    const sent: Event[] = []
    initAndBind(ServerRuntimeClient, {
      dsn: 'https://key@sentry.test/1',
      integrations: [],
      stackParser: () => [],
      transport: options => createTransport(options, async () => ({ statusCode: 200 })),
      beforeSend(event) {
        sent.push(event)
        return event
      },
    })
    await badDay(sentry.onEvent)
    expect(sent.map(({ message, level }) => [message, level])).toEqual([
      ['sendonce: unknown: attempts', 'warning'],
    ])
    const steps = sent[0]?.breadcrumbs?.map(({ message }) => message) ?? []
    expect(steps.slice(-4)).toEqual([
      'checkout: claimed',
      'checkout: sent',
      'checkout: unanswered',
      'checkout: unknown',
    ])
    const all = JSON.stringify([sent, getCurrentScope()])
    for (const { key = '' } of server.log()) expect(all).not.toContain(key)
  })
})
