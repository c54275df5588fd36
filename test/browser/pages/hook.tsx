import ky from 'ky'
import type { ReactElement, ReactNode } from 'react'
import {
  Activity,
  Fragment,
  StrictMode,
  Suspense,
  startTransition,
  useEffect,
  useState,
  version,
} from 'react'
import { createPortal } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import type { Client, ClientOptions, KyLike, Sentences, ServerProfile, Snapshot } from 'sendonce'
import { createClient, idempotencyKey } from 'sendonce'
import type { IdempotentSubmit, SubmitOptions } from 'sendonce/react'
import { SendonceProvider, useCountdown, useIdempotentSubmit } from 'sendonce/react'

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
  /** @default 'checkout' */
  readonly operation?: string
  readonly prefetch?: ''
  /** Orders where a token has to be had first. */
  readonly token?: ''
  /** The server can be asked what happened, and says so; or nobody knows. */
  readonly asks?: 'succeeded' | 'unknown'
  /** Words of the app. */
  readonly words?: 'german'
  /** Neither body nor answer is stored. */
  readonly sensitive?: ''
  /** A success stands for the operation, also in the next page. */
  readonly once?: ''
  /** What is typed is not to be remembered. */
  readonly forgetful?: ''
  /** The fields are disabled while it is under way, as many apps do. */
  readonly disables?: ''
  /** Fields of all kinds, beside the two. */
  readonly many?: 'plain' | 'controlled'
  /** A hook of the app's ky does. */
  readonly hooks?: 'throw'
  /** Waits take this long at most, in milliseconds. */
  readonly wait?: string
  /** Two components for one operation. */
  readonly twice?: ''
  /** The root begins with what a server rendered; `later` it is a test that hydrates it. */
  readonly hydrate?: '' | 'later'
  /** The page neither tells other tabs nor hears of them. */
  readonly quiet?: ''
  /** The form has a ref of the app too, which is a new function in every render. */
  readonly ref?: 'inline'
  /** What is in the form beside its fields: another form by a portal, or a button that closes a dialog. */
  readonly inside?: 'portal' | 'dialog'
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
  /** What the status said, each time that it changed: what a screen reader says. */
  readonly said: string[]
  /** The version of React. */
  readonly react: string
  readonly order: IdempotentSubmit<Cart, Order>
  readonly client: Client | undefined
  place(place: Place): void
  hydrate(): void
  /** Renders another page in a transition, as routers do. */
  navigate(): void
}

const settings: Settings = Object.fromEntries(new URLSearchParams(location.search))
if (settings.quiet !== undefined) Reflect.deleteProperty(window, 'BroadcastChannel')

const waitMs = Number(settings.wait ?? 1)
const options: ClientOptions = {
  scope: 'ada',
  retry: { baseDelayMs: waitMs, maxDelayMs: waitMs, maxAttempts: 2 },
  ...(settings.token !== undefined && {
    profile: {
      ...idempotencyKey(),
      id: 'token',
      guarantee: 'reject',
      key: null,
      token: {
        request: { url: '/api/token' },
        at: '/token',
        lifetimeMs: 60_000,
        place: { header: 'x-idempotent-token' },
      },
    } satisfies ServerProfile,
  }),
  ...(settings.asks && {
    profile: {
      ...idempotencyKey(),
      recover: async (_context, ask) => {
        const orders = (await (await ask('/api/ledger')).json()) as readonly Order[]
        return settings.asks === 'succeeded'
          ? { is: 'succeeded', data: orders[0] }
          : { is: 'unknown' }
      },
    } satisfies ServerProfile,
  }),
  ...(settings.hooks && {
    ky: ky.create({
      hooks: {
        beforeRequest: [
          () => {
            throw new Error('thrown by a hook')
          },
        ],
      },
    }) as KyLike,
  }),
}
const client = settings.provider === 'options' ? undefined : createClient(options)
const never = new Promise<never>(() => {})
/** React 18 has none. */
const Hideable = Activity ?? Fragment

const GERMAN: Partial<Sentences> = {
  succeeded: 'Erledigt.',
  'error:payload-changed': 'Schon unterwegs.',
}

function Checkout({ name }: { readonly name: string }): ReactElement {
  const say = (callback: string, what: string) =>
    window.hook.told.push(`${name}: ${callback} ${what}`)
  const submitOptions: SubmitOptions<Cart, Order> = {
    operation: settings.operation ?? 'checkout',
    request: cart => ({
      url: settings.token === undefined ? '/api/orders' : '/api/bookings',
      json: cart,
      sensitive: settings.sensitive !== undefined,
      once: settings.once !== undefined,
    }),
    prefetch: settings.prefetch !== undefined,
    ...(settings.words ? { sentences: GERMAN } : {}),
    fromForm: form => Object.fromEntries(form) as unknown as Cart,
    ...(settings.resume ? { resume: settings.resume } : {}),
    onSuccess: ({ data }) => {
      say('onSuccess', String(data?.id))
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
    <form
      id={name}
      autoComplete={settings.forgetful === undefined ? 'on' : 'off'}
      {...formOf(order)}
    >
      <fieldset disabled={settings.disables !== undefined && order.isSubmitting}>
        <input name="item" {...field('item')} />
        <input name="address" {...field('address')} />
      </fieldset>
      <button name="by" value="button" {...order.submitProps}>
        Order
      </button>
      <p role="status">{order.message}</p>
      <time>{useCountdown(order.snapshot)}</time>
      {settings.inside && <Inside />}
      {settings.many && <Many controlled={settings.many === 'controlled'} />}
      <output>{nameOf(order.snapshot)}</output>
    </form>
  )
}

/** One field of each kind. */
function Many({ controlled }: { readonly controlled: boolean }): ReactElement {
  const [note, setNote] = useState('')
  const [gift, setGift] = useState(false)
  const [size, setSize] = useState('s')
  const changed = <T,>(set: (value: T) => void, of: (field: HTMLInputElement) => T) => ({
    onChange: (event: { readonly target: unknown }) => set(of(event.target as HTMLInputElement)),
  })
  const textOf = (field: HTMLInputElement) => field.value
  return (
    <>
      <textarea name="note" {...(controlled && { value: note, ...changed(setNote, textOf) })} />
      <input
        type="checkbox"
        name="gift"
        {...(controlled && { checked: gift, ...changed(setGift, field => field.checked) })}
      />
      <select name="size" {...(controlled && { value: size, ...changed(setSize, textOf) })}>
        <option>s</option>
        <option>m</option>
      </select>
      <select name="extras" multiple>
        <option>milk</option>
        <option>sugar</option>
        <option>lemon</option>
      </select>
      <input type="radio" name="when" value="now" defaultChecked />
      <input type="radio" name="when" value="later" />
      <input name="tag" />
      <input name="tag" />
      <input type="password" name="password" />
      <input name="card" autoComplete="billing cc-number" />
      <input name="code" autoComplete="one-time-code" />
    </>
  )
}

function formOf(order: IdempotentSubmit<Cart, Order>) {
  switch (settings.form) {
    case 'action':
      return { action: order.action, ref: order.formProps.ref }
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
      return settings.ref === undefined
        ? order.formProps
        : { ...order.formProps, ref: (form: HTMLFormElement | null) => order.formProps.ref(form) }
  }
}

function Inside(): ReactNode {
  if (settings.inside === 'dialog')
    return (
      <button type="submit" formMethod="dialog">
        Close
      </button>
    )
  return createPortal(
    <form id="inner" onSubmit={event => event.preventDefault()}>
      <input name="voucher" />
    </form>,
    document.body,
  )
}

function nameOf(snapshot: Snapshot<Order>): string {
  return 'reason' in snapshot ? `${snapshot.state}: ${snapshot.reason}` : snapshot.state
}

function Suspending({ suspended }: { readonly suspended: boolean }): ReactNode {
  // React 18 has no `use`, and React 19 knows this too.
  if (suspended) throw never
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
      <Hideable {...(Hideable === Activity && { mode: place === 'hidden' ? 'hidden' : 'visible' })}>
        <Suspense fallback={<p id="fallback">…</p>}>
          <Suspending suspended={place === 'suspended'} />
          <Checkout name="first" />
          {settings.twice !== undefined && <Checkout name="second" />}
        </Suspense>
      </Hideable>
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

const page = { told: [], afterSubmit: [], said: [], react: version, client }
window.hook = page as Partial<Page> as Page
new MutationObserver(changes => {
  for (const { target } of changes) {
    const element = target instanceof Element ? target : target.parentElement
    if (element?.role === 'status') window.hook.said.push(element.textContent)
  }
}).observe(document, { subtree: true, childList: true, characterData: true })
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
  const hydrate = () => void hydrateRoot(root, app)
  Object.assign(window.hook, { hydrate })
  if (settings.hydrate !== 'later') hydrate()
}
