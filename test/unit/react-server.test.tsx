import type { ReactElement } from 'react'
import { StrictMode } from 'react'
import { renderToReadableStream, renderToString } from 'react-dom/server'
import type { ClientOptions } from 'sendonce'
import { createClient } from 'sendonce'
import type { SendonceProviderProps } from 'sendonce/react'
import { SendonceProvider, useIdempotentSubmit } from 'sendonce/react'
import { afterEach, describe, expect, it, vi } from 'vitest'

const options: ClientOptions = {
  // A session is the browser's; a server that asked would show one visitor what is another's.
  scope: () => {
    throw new Error('The scope was read on a server.')
  },
}

function Checkout(): ReactElement {
  const order = useIdempotentSubmit({
    operation: 'checkout',
    fromForm: form => form,
    request: (form: FormData) => ({ url: '/api/orders', form }),
    resume: 'auto',
  })
  return (
    <form {...order.formProps}>
      <button {...order.submitProps}>Order</button>
      <output>{JSON.stringify(order.snapshot)}</output>
      <p role="status">{order.message}</p>
    </form>
  )
}

const page = (provider: SendonceProviderProps) => (
  <StrictMode>
    <SendonceProvider {...provider}>
      <Checkout />
    </SendonceProvider>
  </StrictMode>
)

const HTML =
  '<form><button aria-disabled="false" aria-busy="false">Order</button>' +
  '<output>{&quot;state&quot;:&quot;idle&quot;,&quot;operation&quot;:&quot;checkout&quot;,&quot;read&quot;:false}</output>' +
  '<p role="status"></p></form>'

/** What only browsers have, or only some servers. */
const GLOBALS = [
  'window',
  'document',
  'navigator',
  'indexedDB',
  'localStorage',
  'BroadcastChannel',
  'fetch',
] as const

/** Has it noted whenever one of the globals is looked at. */
function watchGlobals(): string[] {
  const touched: string[] = []
  for (const name of GLOBALS) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name)
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get: () => void touched.push(name),
    })
    restores.push(() => {
      if (before) Object.defineProperty(globalThis, name, before)
      else Reflect.deleteProperty(globalThis, name)
    })
  }
  return touched
}

const restores: (() => void)[] = []
afterEach(() => {
  for (const restore of restores.splice(0)) restore()
  vi.restoreAllMocks()
})

describe('on a server', () => {
  it('renders idle, and looks at nothing that is the browser’s', () => {
    const said = vi.spyOn(console, 'error')
    const touched = watchGlobals()
    expect(renderToString(page({ options }))).toBe(HTML)
    expect(touched).toEqual([])
    expect(said).not.toHaveBeenCalled()
  })

  it('renders the same with a client that is there', () => {
    const client = createClient({ ...options, scope: 'ada' })
    const touched = watchGlobals()
    expect(renderToString(page({ client }))).toBe(HTML)
    expect(touched).toEqual([])
    client.close()
  })

  it('renders the same into a stream', async () => {
    const stream = await renderToReadableStream(page({ options }))
    expect(await new Response(stream).text()).toBe(HTML)
  })

  it('says what to do where there is no client', () => {
    expect(() => renderToString(<Checkout />)).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringContaining('<SendonceProvider>'),
      }),
    )
  })
})
