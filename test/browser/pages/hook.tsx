import type { ReactElement, ReactNode } from 'react'
import { Activity, StrictMode, Suspense, startTransition, use, useEffect, useState } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import type { Client, ClientOptions, Snapshot } from 'sendonce'
import { createClient } from 'sendonce'
import type { IdempotentSubmit, SubmitOptions } from 'sendonce/react'
import { SendonceProvider, useIdempotentSubmit } from 'sendonce/react'

declare global {
  interface Window {
    hook: Page
  }
}

/** The address sets what is rendered, by the names of these fields. */
interface Settings {
  readonly form?: 'props' | 'action' | 'transition'
  /** Who makes the client. */
  readonly provider?: 'client' | 'options'
  readonly resume?: 'ask' | 'auto'
  /** Two components for one operation. */
  readonly twice?: ''
  /** The root begins with what a server rendered. */
  readonly hydrate?: ''
  /** The page neither tells other tabs nor hears of them. */
  readonly quiet?: ''
  /** What `onSuccess` does beside being counted. */
  readonly success?: 'reset' | 'throw'
}

interface Cart {
  readonly item: string
  readonly address: string
  readonly by: string
}

interface Order {
  readonly id: string
}

type Place = 'shown' | 'hidden' | 'suspended' | 'gone'

/** What a test sees of the page, and does with it where a person has no means to. */
interface Page {
  /** What callbacks were called with, oldest first: `first: onSuccess order-1`. */
  readonly told: string[]
  /** Whether it was submitting, at the end of each task with a submit event. */
  readonly afterSubmit: boolean[]
  readonly order: IdempotentSubmit<Cart, Order>
  readonly client: Client | undefined
  place(place: Place): void
  /** Renders another page in a transition, as routers do. */
  navigate(): void
}

const settings: Settings = Object.fromEntries(new URLSearchParams(location.search))
if (settings.quiet !== undefined) Reflect.deleteProperty(window, 'BroadcastChannel')

const options: ClientOptions = { scope: 'ada', retry: { baseDelayMs: 1, maxAttempts: 2 } }
const client = settings.provider === 'options' ? undefined : createClient(options)
const never = new Promise<never>(() => {})

function Checkout({ name }: { readonly name: string }): ReactElement {
  const say = (callback: string, what: string) =>
    window.hook.told.push(`${name}: ${callback} ${what}`)
  const submitOptions: SubmitOptions<Cart, Order> = {
    operation: 'checkout',
    request: cart => ({ url: '/api/orders', json: cart }),
    fromForm: form => Object.fromEntries(form) as unknown as Cart,
    ...(settings.resume ? { resume: settings.resume } : {}),
    onSuccess: ({ data }) => {
      say('onSuccess', data.id)
      if (settings.success === 'reset') window.hook.order.reset()
      if (settings.success === 'throw') throw new Error('thrown by onSuccess')
    },
    onRefused: ({ response }) => say('onRefused', String(response.status)),
    onUnknown: ({ reason }) => say('onUnknown', reason),
    onPaused: ({ reason }) => say('onPaused', reason),
    onError: ({ code }) => say('onError', code),
  }
  const order = useIdempotentSubmit(submitOptions)
  useEffect(() => {
    Object.assign(window.hook, { order })
  })
  const [typed, setTyped] = useState({ item: '', address: '' })
  const field = (of: 'item' | 'address') =>
    settings.form === 'action'
      ? {
          value: typed[of],
          onChange: (event: { target: { value: string } }) =>
            setTyped({ ...typed, [of]: event.target.value }),
        }
      : {}
  return (
    <form id={name} {...formOf(order)}>
      <input name="item" {...field('item')} />
      <input name="address" {...field('address')} />
      <button name="by" value="button" {...order.submitProps}>
        Order
      </button>
      <p role="status">{order.message}</p>
      <output>{nameOf(order.snapshot)}</output>
    </form>
  )
}

function formOf(order: IdempotentSubmit<Cart, Order>) {
  switch (settings.form) {
    case 'action':
      return { action: order.action }
    case 'transition':
      return {
        onSubmit: (event: { preventDefault(): void; currentTarget: HTMLFormElement }) => {
          event.preventDefault()
          const cart = Object.fromEntries(new FormData(event.currentTarget)) as unknown as Cart
          startTransition(async () => {
            await order.submit(cart)
          })
        },
      }
    default:
      return order.formProps
  }
}

function nameOf(snapshot: Snapshot<Order>): string {
  return 'reason' in snapshot ? `${snapshot.state}: ${snapshot.reason}` : snapshot.state
}

function Suspending({ suspended }: { readonly suspended: boolean }): ReactNode {
  if (suspended) use(never)
  return null
}

function Shop(): ReactNode {
  const [place, setPlace] = useState<Place>('shown')
  const [path, setPath] = useState('/')
  useEffect(() => {
    Object.assign(window.hook, {
      place: setPlace,
      navigate: () => startTransition(() => setPath('/elsewhere')),
    })
  }, [])
  if (place === 'gone') return <p id="gone">gone</p>
  return (
    <Provider>
      <p id="path">{path}</p>
      <Activity mode={place === 'hidden' ? 'hidden' : 'visible'}>
        <Suspense fallback={<p id="fallback">…</p>}>
          <Suspending suspended={place === 'suspended'} />
          <Checkout name="first" />
          {settings.twice !== undefined && <Checkout name="second" />}
        </Suspense>
      </Activity>
    </Provider>
  )
}

function Provider({ children }: { readonly children: ReactNode }): ReactElement {
  return client ? (
    <SendonceProvider client={client}>{children}</SendonceProvider>
  ) : (
    <SendonceProvider options={options}>{children}</SendonceProvider>
  )
}

const page = { told: [], afterSubmit: [], client }
window.hook = page as Partial<Page> as Page
window.addEventListener('submit', () => {
  const submitting = () => document.querySelector('[aria-busy=true]') !== null
  // After the last microtask of the event, hence after what React renders at once.
  setTimeout(() => window.hook.afterSubmit.push(submitting()))
})

const root = document.querySelector('#root')
if (!root) throw new Error('The page has no root.')
const app = (
  <StrictMode>
    <Shop />
  </StrictMode>
)
if (settings.hydrate === undefined) createRoot(root).render(app)
else {
  root.innerHTML = renderToString(app)
  hydrateRoot(root, app)
}
