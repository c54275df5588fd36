import type { LaneStep, SendonceEvent } from 'sendonce'
import { createTimeline } from 'sendonce'
import { describe, expect, it, vi } from 'vitest'
import { order, Shop } from './shop.ts'

const event = (at: number, attempt: number, more: object, operation = 'order'): SendonceEvent =>
  ({ at, operation, keyTail: 'abc123', attempt, ...more }) as SendonceEvent
const sent = (at: number, attempt: number) => event(at, attempt, { type: 'sent' })
const answered = (at: number, attempt: number, status: number) =>
  event(at, attempt, { type: 'answered', status, verdict: 'success' })

/** `sent:answered` for an attempt, the type for anything else. */
const names = (steps: readonly LaneStep[] = []) =>
  steps.map(step =>
    step.is === 'attempt' ? `sent:${step.ended?.type ?? 'nothing'}` : step.event.type,
  )

describe('the timeline', () => {
  it('shows an order whose reply was lost as two attempts of one lane', async () => {
    const timeline = createTimeline()
    const shop = new Shop()
    const { client } = shop.open({ onEvent: timeline.hear })
    shop.server.next('lose-reply')
    await shop.ending(client.submit('order', order()))
    const [lane, ...others] = timeline.getSnapshot()
    expect(others).toEqual([])
    expect(names(lane?.steps)).toEqual([
      'claimed',
      'sent:unanswered',
      'waiting',
      'claimed',
      'sent:answered',
      'succeeded',
    ])
    expect(lane?.latest.type).toBe('succeeded')
    expect(shop.server.ledger()).toHaveLength(1)
  })

  it('gives an answer to the attempt of its number, whatever was sent since', () => {
    const timeline = createTimeline()
    for (const each of [sent(1, 1), sent(2, 2), answered(3, 1, 201)]) timeline.hear(each)
    expect(names(timeline.getSnapshot()[0]?.steps)).toEqual(['sent:answered', 'sent:nothing'])
  })

  it('gives what another tab tells late its place, and leaves the latest as it was', () => {
    const timeline = createTimeline()
    for (const each of [sent(10, 2), sent(5, 1)]) timeline.hear(each)
    const [lane] = timeline.getSnapshot()
    expect(lane?.steps.map(({ at }) => at)).toEqual([5, 10])
    expect(lane?.startedAt).toBe(5)
    expect(lane?.latest).toEqual(sent(10, 2))
  })

  it('keeps an answer whose attempt it has not heard of', () => {
    const timeline = createTimeline()
    timeline.hear(answered(1, 7, 201))
    expect(names(timeline.getSnapshot()[0]?.steps)).toEqual(['answered'])
  })

  it('keeps the lanes that did not change as they were', () => {
    const timeline = createTimeline()
    timeline.hear(event(1, 1, { type: 'sent' }, 'first'))
    timeline.hear(event(2, 1, { type: 'sent' }, 'second'))
    const before = timeline.getSnapshot()
    expect(timeline.getSnapshot()).toBe(before)
    timeline.hear(event(3, 1, { type: 'succeeded' }, 'second'))
    const after = timeline.getSnapshot()
    expect(after).not.toBe(before)
    expect(after[0]).toBe(before[0])
    expect(after[1]).not.toBe(before[1])
  })

  it('tells its listeners of every event, until they stop', () => {
    const timeline = createTimeline()
    const listener = vi.fn()
    const stop = timeline.subscribe(listener)
    timeline.hear(sent(1, 1))
    timeline.hear(answered(2, 1, 201))
    expect(listener).toHaveBeenCalledTimes(2)
    stop()
    timeline.hear(sent(3, 2))
    expect(listener).toHaveBeenCalledTimes(2)
  })

  it('drops what was heard of first beyond its limits', () => {
    const timeline = createTimeline({ maxOperations: 2, maxSteps: 3 })
    for (const name of ['a', 'b', 'c']) timeline.hear(event(1, 1, { type: 'sent' }, name))
    expect(timeline.getSnapshot().map(({ operation }) => operation)).toEqual(['b', 'c'])
    for (const at of [2, 3, 4]) timeline.hear(event(at, at, { type: 'sent' }, 'c'))
    expect(timeline.getSnapshot()[1]?.steps.map(({ at }) => at)).toEqual([2, 3, 4])
  })

  it('keeps what an app adds to an event', () => {
    const timeline = createTimeline<SendonceEvent & { readonly tab: string }>()
    timeline.hear({ ...sent(1, 1), tab: 'second' })
    expect(timeline.getSnapshot()[0]?.latest.tab).toBe('second')
  })
})
