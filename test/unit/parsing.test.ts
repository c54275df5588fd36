import { afterEach, describe, expect, it, vi } from 'vitest'
import { Sight } from '../../src/sight.ts'
import { order, Shop, watch } from './shop.ts'

afterEach(() => void vi.restoreAllMocks())

/** A page that goes round in microtasks never comes to its timers again: an error in place of a test that hangs. */
function failInsteadOfHanging(): void {
  const MANY = 20_000
  const running = Object.getOwnPropertyDescriptor(Sight.prototype, 'running')?.get
  let calls = 0
  vi.spyOn(Sight.prototype, 'running', 'get').mockImplementation(function (this: Sight) {
    calls += 1
    if (calls > MANY) throw new Error('The page hangs.')
    return running?.call(this)
  })
}

/** A page whose answer has come, and whose `parse` takes its time. */
async function parsing(scope: () => string = () => 'ada') {
  const shop = new Shop()
  const { client } = shop.open({ scope })
  let finish: ((value: unknown) => void) | undefined
  const parse = () =>
    new Promise(resolve => {
      finish = resolve
    })
  const stop = new AbortController()
  const first = watch(client.submit('checkout', { ...order(), parse, signal: stop.signal }))
  await shop.world.run(() => finish !== undefined)
  await shop.world.run()
  failInsteadOfHanging()
  return { shop, client, first, stop, finish: () => finish?.(1) }
}

describe('while an answer is being parsed', () => {
  it.each(['abort', 'discard', 'forget'] as const)('%s lets the next submit go', async how => {
    const { shop, client, first, stop, finish } = await parsing()
    if (how === 'abort') stop.abort()
    else if (how === 'discard') watch(client.operation('checkout').discard())
    else watch(client.forget())
    await shop.world.run()
    const second = watch(client.submit('checkout', order()))
    await shop.world.run()
    finish()
    await shop.world.settle()
    expect(second.value).toMatchObject({ state: 'succeeded' })
    expect(first.value ?? first.error).toBeDefined()
  })

  it('somebody else may sign in, resume and submit', async () => {
    let who = 'ada'
    const { shop, client } = await parsing(() => who)
    who = 'bob'
    const resumed = watch(client.operation('checkout').resume())
    await shop.world.run()
    expect(resumed.error).toMatchObject({ code: 'invalid-argument' })
    const second = watch(client.submit('checkout', order()))
    await shop.world.settle()
    expect(second.value).toMatchObject({ state: 'succeeded' })
  })
})
