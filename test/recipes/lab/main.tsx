import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { StrictMode, useEffect } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { createMemoryRouter, RouterProvider } from 'react-router'
import type { Cart, Order } from '../api.ts'
import { sentenceOf } from '../sentence.ts'
import { cart } from './cart.ts'

declare global {
  interface Window {
    /** Asks for something by the library's own means, where it tells queries from mutations. */
    query(): Promise<unknown>
  }
}

const root = document.querySelector<HTMLElement>('#root')
if (!root) throw new Error('The page has no root.')

const render = (children: ReactNode) => createRoot(root).render(<StrictMode>{children}</StrictMode>)

/** Marks the page once React has taken over what the server rendered: a click before that is nobody's. */
function Hydrated({ children }: { readonly children: ReactNode }): ReactNode {
  useEffect(() => {
    document.body.dataset.hydrated = ''
  }, [])
  return children
}

/** For a recipe that is a function: the least that an app puts around it. */
function button(placeOrder: (cart: Cart) => Promise<Order | undefined>): void {
  const order = document.createElement('button')
  order.textContent = 'Order'
  const status = document.createElement('p')
  status.role = 'status'
  order.addEventListener('click', async () => {
    try {
      status.textContent = `Order ${(await placeOrder(cart))?.id} is placed.`
    } catch (error) {
      status.textContent = sentenceOf(error)
    }
  })
  root?.append(order, status)
}

/** Each in a module of its own: a page loads what its recipe takes, and no more. */
const RECIPES: Readonly<Record<string, () => Promise<void>>> = {
  'tanstack-query': async () => {
    const { Checkout } = await import('../tanstack-query.tsx')
    render(
      <QueryClientProvider client={new QueryClient()}>
        <Checkout cart={cart} />
      </QueryClientProvider>,
    )
  },
  swr: async () => {
    const { Checkout } = await import('../swr.tsx')
    render(<Checkout cart={cart} />)
  },
  'react-hook-form': async () => {
    const { Checkout } = await import('../react-hook-form.tsx')
    render(<Checkout cart={cart} />)
  },
  'react-router': async () => {
    const { routes } = await import('../react-router.tsx')
    const router = createMemoryRouter(routes, { initialEntries: [`/checkout/${cart.id}`] })
    render(<RouterProvider router={router} />)
  },
  'form-action': async () => {
    const { Checkout } = await import('../form-action.tsx')
    render(<Checkout cart={cart} />)
  },
  'server-rendering': async () => {
    const { App } = await import('../server-rendering.tsx')
    hydrateRoot(
      root,
      <Hydrated>
        <App cart={cart} />
      </Hydrated>,
    )
  },
  'coming-back': async () => {
    const { ComingBack } = await import('../coming-back.tsx')
    render(<ComingBack />)
  },
  vue: async () => {
    const { createApp } = await import('vue')
    const { default: Checkout } = await import('../checkout-button.vue')
    createApp(Checkout, { cart }).mount(root)
  },
  svelte: async () => {
    const { mount } = await import('svelte')
    const { default: Checkout } = await import('../checkout-button.svelte')
    mount(Checkout, { target: root, props: { cart } })
  },
  'openapi-fetch': async () => button((await import('../openapi-fetch.ts')).placeOrder),
  trpc: async () => button((await import('../trpc.ts')).placeOrder),
  apollo: async () => {
    const [{ gql }, { client, placeOrder }] = await Promise.all([
      import('@apollo/client'),
      import('../apollo.ts'),
    ])
    window.query = () => client.query({ query: gql('{ orders { id } }') })
    button(placeOrder)
  },
  urql: async () => {
    const { client, placeOrder } = await import('../urql.ts')
    window.query = () => client.query('{ orders { id } }', {}).toPromise()
    button(placeOrder)
  },
  ky: async () => button((await import('../ky.ts')).placeOrder),
  axios: async () => button((await import('../axios.ts')).placeOrder),
}

await RECIPES[root.dataset.recipe ?? new URLSearchParams(location.search).get('recipe') ?? '']?.()
