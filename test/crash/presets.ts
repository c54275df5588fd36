import { businessNumber } from '../../src/profiles/business-number.ts'
import { dedupeTable } from '../../src/profiles/dedupe-table.ts'
import { idempotencyKey } from '../../src/profiles/idempotency-key.ts'
import type { OneTimeTokenOptions } from '../../src/profiles/one-time-token.ts'
import { oneTimeToken } from '../../src/profiles/one-time-token.ts'
import type { ServerProfile } from '../../src/profiles/profile.ts'
import { repeatWindow } from '../../src/profiles/repeat-window.ts'
import { repeatability } from '../../src/profiles/repeatability.ts'
import { stateMachine } from '../../src/profiles/state-machine.ts'
import { stripe } from '../../src/profiles/stripe.ts'
import type { BeginningState, MechanismOptions, RouteOptions } from '../../src/testing/index.ts'

/** A way for a server to execute once, and the profile that knows it. */
export interface Preset {
  readonly profile: ServerProfile
  /** Where orders go; `:id` is whose. */
  readonly path: string
  readonly route: RouteOptions
  /** What a body says beside the order. */
  readonly fields?: Readonly<Record<string, unknown>>
}

export const SHOP = 'http://shop.test'
export const ORDERS = '/api/orders'
export const TOKEN_PATH = '/api/token'
export const JOB_PATH = '/api/jobs/:id'

/** Names an operation where nothing else in its head does. */
export const REQUEST_ID = 'x-request-id'
export const TOKEN_HEADER = 'x-idempotent-token'

/** Short enough for a run to see it end. */
export const TOKEN_LIFETIME_MS = 10_000
/** A token that was never used has expired by then at the server, wherever its request may be. */
const SETTLE_MS = 2 * TOKEN_LIFETIME_MS
const WINDOW_MS = 5_000

type Recover = NonNullable<ServerProfile['recover']>
type TokenPlace = { readonly header: string } | { readonly query: string }

/** Asks by one name what happened, as the mock server tells it. */
const askBy =
  (by: 'token' | 'number'): Recover =>
  async ({ key, token }, ask) => {
    const name = by === 'token' ? token : key
    if (name === undefined) return { is: 'unknown' }
    const response = await ask(`${SHOP}${ORDERS}/by-${by}/${name}`)
    const { state, data } = (await response.json()) as { state?: string; data?: unknown }
    if (state === 'done') return { is: 'succeeded', data }
    return state === 'failed' || state === 'unknown' ? { is: 'not-applied' } : { is: 'unknown' }
  }

const askState: Recover = async ({ url }, ask) => {
  const response = await ask(url.replace(/\/pay$/, ''))
  const data = (await response.json()) as { state?: string }
  return data.state === 'PAID' ? { is: 'succeeded', data } : { is: 'not-applied' }
}

const token = (
  options: Omit<OneTimeTokenOptions, 'place'> & { readonly place?: TokenPlace } = {},
  tellsExpired = false,
  more: Pick<ServerProfile, 'settleMs' | 'requestId'> = {},
): Preset => ({
  profile: {
    ...oneTimeToken({ url: SHOP + TOKEN_PATH, lifetimeMs: TOKEN_LIFETIME_MS, ...options }),
    ...more,
  },
  path: ORDERS,
  route: {
    mechanisms: [
      {
        is: 'token',
        path: TOKEN_PATH,
        lifetimeMs: TOKEN_LIFETIME_MS,
        tellsExpired,
        place: options.place ?? { header: TOKEN_HEADER },
      },
    ],
  },
})

const { rules } = idempotencyKey()

export const PRESETS = {
  'idempotencyKey()': { profile: idempotencyKey(), path: ORDERS, route: {} },
  'idempotencyKey({ quoted })': {
    profile: idempotencyKey({ quoted: true }),
    path: ORDERS,
    route: {},
  },
  'a lock around a dedupe table': {
    profile: idempotencyKey(),
    path: ORDERS,
    route: { mechanisms: ['lock', 'dedupe'] },
  },
  'accepted work': {
    profile: {
      ...idempotencyKey(),
      id: 'accepted-work',
      rules: [{ status: 202, then: { is: 'pending', poll: 'location' } }, ...rules],
    },
    path: ORDERS,
    route: { mechanisms: [{ is: 'accepted', path: JOB_PATH }], workMs: 700 },
  },
  'stripe()': { profile: stripe(), path: ORDERS, route: {} },
  'repeatability()': {
    profile: repeatability({ ttlMs: 86_400_000 }),
    path: ORDERS,
    route: { mechanisms: [{ is: 'dedupe', key: { header: 'repeatability-request-id' } }] },
  },
  'dedupeTable()': {
    profile: dedupeTable(),
    path: ORDERS,
    route: {
      mechanisms: [{ is: 'dedupe', key: { header: REQUEST_ID } }],
      answers: 'envelope',
      says: { done: { code: 'OK' }, processing: { code: 'PROCESSING' } },
    },
  },
  'oneTimeToken()': token({}, false, { requestId: REQUEST_ID }),
  'oneTimeToken({ recover })': token({ place: { query: 'token' }, recover: askBy('token') }),
  'oneTimeToken({ recover, expired }), settled': token(
    {
      recover: askBy('token'),
      expired: [{ body: { '/code': 'token-expired' } }, { body: { '/code': 'token-unknown' } }],
    },
    true,
    { settleMs: SETTLE_MS },
  ),
  'businessNumber()': {
    profile: { ...businessNumber({ place: { body: '/order_no' } }), requestId: REQUEST_ID },
    path: ORDERS,
    route: { mechanisms: ['number'] },
  },
  'businessNumber({ guarantee: reject, recover })': {
    profile: {
      ...businessNumber({
        place: { body: '/order_no' },
        guarantee: 'reject',
        recover: askBy('number'),
      }),
      requestId: REQUEST_ID,
    },
    path: ORDERS,
    route: { mechanisms: [{ is: 'number', repeat: 'reject' }] },
  },
  'stateMachine({ recover })': {
    profile: {
      ...stateMachine({ reached: 'PAID', ended: ['CANCELLED'], recover: askState }),
      requestId: REQUEST_ID,
    },
    path: `${ORDERS}/:id/pay`,
    route: { mechanisms: ['state'] },
    fields: { version: 1 },
  },
  'repeatWindow()': {
    profile: {
      ...repeatWindow({
        windowMs: WINDOW_MS,
        duplicate: { body: { '/code': 500, '/message': /重复提交/ } },
      }),
      requestId: REQUEST_ID,
    },
    path: ORDERS,
    route: {
      mechanisms: [{ is: 'window', windowMs: WINDOW_MS }],
      answers: 'envelope',
      says: {
        done: { code: 200 },
        duplicate: { code: 500, message: '不允许重复提交，请稍候再试' },
      },
    },
  },
  'no promise': {
    profile: {
      id: 'no-promise',
      guarantee: 'none',
      key: null,
      requestId: REQUEST_ID,
      ttlMs: 86_400_000,
      failureKey: 'rotate',
      rules: [],
    },
    path: '/api/plain/orders',
    route: { mechanisms: [] },
  },
} satisfies Record<string, Preset>

export type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[]

/** For all presets, by name. */
export const presetOf = (name: PresetName): Preset => PRESETS[name]

/** Whether the server of a preset works by a mechanism. */
export const worksBy = ({ route }: Preset, is: MechanismOptions['is']): boolean =>
  (route.mechanisms ?? ['dedupe']).some(each => (typeof each === 'string' ? each : each.is) === is)

/** Where somebody's orders go. */
export const urlOf = ({ path }: Preset, whose: string): string =>
  SHOP + path.replace(':id', encodeURIComponent(whose))

/** Everybody has one that can be paid. */
export const statesFor = (...people: readonly string[]): Readonly<Record<string, BeginningState>> =>
  Object.fromEntries(people.map(whose => [whose, { state: 'PENDING' }]))
