import type { Platform } from './platform.ts'
import { at } from './profiles/match.ts'
import type { TokenRules } from './profiles/profile.ts'
import type { Token } from './record.ts'
import type { Call } from './send.ts'
import { send } from './send.ts'

/** How long a token is waited for where the profile does not say. */
export const TOKEN_TIMEOUT_MS = 10_000

/** Longer than any token is, and shorter than what an error page holds. */
const MAX_TOKEN_LENGTH = 4_096

/** A token, or why there is none; nothing of the operation itself has left. */
export interface Issued {
  readonly token?: Token | undefined
  readonly response?: Response | undefined
  readonly cause?: unknown
}

/** Fetches a one-time token. Never rejects. */
export async function fetchToken(
  platform: Platform,
  { request, at: pointer, timeoutMs = TOKEN_TIMEOUT_MS }: TokenRules,
  call: Call,
): Promise<Issued> {
  // From before it is asked for: its lifetime begins at the server, not here.
  const issuedAt = platform.now()
  const sent = await send(platform, {
    ...call,
    url: request.url,
    method: request.method ?? 'GET',
    headers: {},
    bytes: undefined,
    cache: 'no-store',
    timeoutMs: Math.min(timeoutMs, call.timeoutMs),
  })
  if (sent.is !== 'answered') return { cause: sent.cause }
  const { response, body } = sent
  const value = response.ok && body ? read(new TextDecoder().decode(body), pointer) : undefined
  return typeof value === 'string' && value.length <= MAX_TOKEN_LENGTH && /^[!-~]+$/.test(value)
    ? { token: { value, at: issuedAt } }
    : { response, cause: new Error(`${request.url} answered ${response.status} without a token.`) }
}

function read(text: string, pointer: TokenRules['at']): unknown {
  try {
    return at(JSON.parse(text), pointer)
  } catch {
    // Nothing but the token.
    return pointer === '' ? text.trim() : undefined
  }
}
