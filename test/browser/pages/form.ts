import type { Client } from 'sendonce'
import { createClient } from 'sendonce'
import type { BoundForm, FormOptions } from 'sendonce/form'
import { bindForm } from 'sendonce/form'

declare global {
  interface Window {
    page: Page
    who?: string | null
  }
}

/** The address sets how the first form is bound, by the names of these fields. */
interface Settings {
  readonly resume?: 'ask' | 'auto'
  /** What is sent: by `request`, or as the form says by itself. */
  readonly send?: 'json' | 'sensitive' | 'native' | 'throw'
  /** The page does not remember what was typed. */
  readonly forgetful?: ''
  /** Waits so long between two attempts, in milliseconds. @default 1 */
  readonly baseDelayMs?: string
  /** Who is signed in, until `window.who` says something else. @default 'ada', always */
  readonly who?: string
  /** The second form is bound to the same operation, and both send only what both have. */
  readonly twice?: ''
}

interface Order {
  readonly id: string
}

/** What a test sees of the page, and does with it where a person has no means to. */
interface Page {
  readonly client: Client
  readonly bound: BoundForm<Order>
  /** What callbacks were called with, oldest first: `first: onSuccess order-1`. */
  readonly told: string[]
  /** What a screen reader was given to read out, oldest first. */
  readonly heard: string[]
  bind(form: HTMLFormElement, name: string, more?: Partial<FormOptions<Order>>): BoundForm<Order>
}

const settings: Settings = Object.fromEntries(new URLSearchParams(location.search))
const { who } = settings
const client = createClient({
  scope: who === undefined ? 'ada' : () => (window.who === undefined ? who : window.who),
  retry: { baseDelayMs: Number(settings.baseDelayMs ?? 1), maxAttempts: 4 },
})
const told: string[] = []
const heard: string[] = []

function bind(
  form: HTMLFormElement,
  name: string,
  more: Partial<FormOptions<Order>> = {},
): BoundForm<Order> {
  const say = (callback: string, what: string) => told.push(`${name}: ${callback} ${what}`)
  return bindForm<Order>(form, {
    client,
    operation: 'checkout',
    ...(settings.resume ? { resume: settings.resume } : {}),
    ...(settings.send === 'native' ? {} : { request: requestOf }),
    message: snapshot =>
      snapshot.state === 'refused' ? `Refused: ${snapshot.response.status}` : undefined,
    onSuccess: ({ data }) => say('onSuccess', String(data?.id)),
    onRefused: ({ response }) => say('onRefused', String(response.status)),
    onUnknown: ({ reason }) => say('onUnknown', reason),
    onPaused: ({ reason }) => say('onPaused', reason),
    onError: ({ code }) => say('onError', code),
    ...more,
  })
}

function requestOf(form: FormData) {
  if (settings.send === 'throw') throw new Error('thrown by request')
  const { item, address, ...rest } = Object.fromEntries(form)
  const json = settings.twice === undefined ? { item, address, ...rest } : { item, address }
  return { url: '/api/orders', json, sensitive: settings.send === 'sensitive' }
}

const [first, second] = document.querySelectorAll('form')
const status = document.querySelector('[data-sendonce-status]')
if (!first || !second || !status) throw new Error('The page has no forms, or no status.')

// As a screen reader: it is told of changes in a region that is live.
new MutationObserver(() => {
  const text = status.textContent ?? ''
  if (text && status.getAttribute('aria-live') !== 'off') heard.push(text)
}).observe(status, { childList: true, characterData: true, subtree: true })

if (settings.forgetful !== undefined) first.autocomplete = 'off'
const bound = bind(first, 'first')
if (settings.twice !== undefined) bind(second, 'second')
window.page = { client, bound, told, heard, bind }
