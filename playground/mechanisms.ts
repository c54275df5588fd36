import type { ServerProfile } from 'sendonce'
import {
  businessNumber,
  dedupeTable,
  idempotencyKey,
  oneTimeToken,
  repeatWindow,
  stateMachine,
} from 'sendonce'
import type { RouteOptions } from 'sendonce/testing'
import type { Stored } from './stored.ts'
import { stored } from './stored.ts'

export type MechanismName =
  | 'keys'
  | 'token'
  | 'envelope'
  | 'number'
  | 'state'
  | 'lock'
  | 'request-id'
  | 'window'

/** One way for the shop's server to know an order again, and how its client is told. */
export interface Mechanism {
  readonly name: MechanismName
  /** Where orders go; `:id` is the cart's name. */
  readonly path: string
  readonly route: RouteOptions
  readonly profile: ServerProfile
  /** What an app writes for `profile`, if anything. */
  readonly code: string
  /** What its table is about. */
  readonly says: string
}

/** Slow enough for a person to follow, and to press reload in between. An app leaves this out. */
const WATCHABLE_WAIT_MS = 4_000

const watchable = (profile: ServerProfile): ServerProfile => ({
  ...profile,
  pace: { ...profile.pace, minDelayMs: WATCHABLE_WAIT_MS },
})

const TOKEN_ORDERS = '/api/by-token/orders'
const SHOP = { shop: 'sendonce' } as const

export const MECHANISMS: readonly Mechanism[] = [
  {
    name: 'keys',
    path: '/api/orders',
    route: SHOP,
    profile: watchable(idempotencyKey()),
    code: '',
    says: 'One row for each key. Whoever comes with a key that is done gets the first answer again, and nothing is ordered.',
  },
  {
    name: 'token',
    path: TOKEN_ORDERS,
    route: { ...SHOP, mechanisms: ['token'] },
    profile: watchable(
      oneTimeToken({
        async recover({ token }, ask) {
          const response = await ask(`${TOKEN_ORDERS}/by-token/${token}`)
          const { state, data } = (await response.json()) as { state: string; data?: unknown }
          if (state === 'done') return { is: 'succeeded', data }
          return { is: state === 'processing' ? 'in-progress' : 'unknown' }
        },
      }),
    ),
    code: 'oneTimeToken({ recover })',
    says: 'One row for each token that was issued. The first order spends it; a second one is turned away, and then the shop is asked what became of the first.',
  },
  {
    name: 'envelope',
    path: '/api/envelope/orders',
    route: {
      ...SHOP,
      mechanisms: [{ is: 'dedupe', key: { header: 'x-request-id' } }],
      answers: 'envelope',
      says: { done: { code: 'OK' }, processing: { code: 'PROCESSING' } },
    },
    profile: watchable(dedupeTable()),
    code: 'dedupeTable()',
    says: 'One row for each request id. Every answer is a 200; whether it is done, or still being worked on, is a code inside.',
  },
  {
    name: 'number',
    path: '/api/numbered/orders',
    route: { ...SHOP, mechanisms: ['number'] },
    profile: watchable(businessNumber({ prefix: 'trade_pay_' })),
    code: "businessNumber({ prefix: 'trade_pay_' })",
    says: 'One row for each number, under a unique index. An order whose number is there already is answered with the one that exists.',
  },
  {
    name: 'state',
    path: '/api/carts/:id/pay',
    route: { ...SHOP, mechanisms: ['state'] },
    profile: watchable(
      stateMachine({
        reached: 'PAID',
        recover: async ({ url }, ask) => {
          const response = await ask(url.replace(/\/pay$/, ''))
          const data = (await response.json()) as { readonly state?: string }
          return data.state === 'PAID' ? { is: 'succeeded', data } : { is: 'unknown' }
        },
      }),
    ),
    code: "stateMachine({ reached: 'PAID' })",
    says: 'One row for each cart. It moves from PENDING to PAID once, by state and version; who finds it there already has succeeded.',
  },
  {
    name: 'lock',
    path: '/api/locked/orders',
    route: { ...SHOP, mechanisms: ['lock', 'dedupe'] },
    profile: watchable(idempotencyKey()),
    code: '',
    says: 'A lock around the work, and a table behind it: the lock keeps two deliveries apart, the table remembers.',
  },
  {
    name: 'request-id',
    path: '/api/chained/orders',
    route: { ...SHOP, mechanisms: ['request-id'] },
    profile: watchable({
      ...idempotencyKey(),
      id: 'request-id',
      key: { place: { header: 'x-request-id' } },
    }),
    code: "{ ...idempotencyKey(), id: 'request-id', key: { place: { header: 'x-request-id' } } }",
    says: 'One id goes down through all services, and each keeps it: a row for each of them.',
  },
  {
    name: 'window',
    path: '/api/windowed/orders',
    route: { ...SHOP, mechanisms: ['window'] },
    profile: watchable(repeatWindow({ duplicate: { status: 409 }, envelope: false })),
    code: 'repeatWindow()',
    says: 'One row for each order of the last five seconds. A repeat is refused for so long, and then done again: nothing is ever sent again by itself.',
  },
]

const chosen = stored<MechanismName>('mechanism', 'keys')

export const mechanismChosen: Stored<MechanismName> = chosen

export function mechanismOf(name: MechanismName): Mechanism {
  const found = MECHANISMS.find(mechanism => mechanism.name === name) ?? MECHANISMS[0]
  if (!found) throw new Error('There is no mechanism.')
  return found
}
