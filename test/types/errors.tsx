/** What does not compile. Each line would be a mistake that an app finds out in production otherwise. */
import type { ClientOptions, KyLike, Outcome, Rule, Snapshot, SubmitRequest } from 'sendonce'
import { createClient, describe, idempotencyKey, isSendonceError, SendonceError } from 'sendonce'
import { SendonceProvider, useIdempotentSubmit } from 'sendonce/react'

const api = createClient({ scope: 'ada' })
const url = '/api/orders'

// @ts-expect-error whose requests these are has no default
createClient({})
// @ts-expect-error a scope is somebody, or null from a function
createClient({ scope: null })
// @ts-expect-error undefined is no way to say that nobody is signed in
createClient({ scope: () => undefined })
// @ts-expect-error a profile is made by a preset or by hand, not named
createClient({ scope: 'ada', profile: 'stripe' })
// @ts-expect-error ms are in the name, seconds are not meant
createClient({ scope: 'ada', retry: { timeout: 30 } })
// @ts-expect-error no such durability
createClient({ scope: 'ada', durability: 'none' })
// @ts-expect-error no such header form
idempotencyKey({ quoted: 'yes' })

// @ts-expect-error json or form, not both
api.submit('order', { url, json: {}, form: new FormData() })
// @ts-expect-error form or body, not both
api.submit('order', { url, form: new FormData(), body: 'text' })
// @ts-expect-error a stream cannot be sent twice
api.submit('order', { url, body: new ReadableStream() })
// @ts-expect-error a form goes as `form`
api.submit('order', { url, body: new FormData() })
// @ts-expect-error an operation has a name
api.submit({ url })
// @ts-expect-error a request has an address
api.submit('order', { json: {} })
// @ts-expect-error what only reads needs no key
api.submit('order', { url, method: 'GET' })
// @ts-expect-error a pointer begins with a slash
api.submit('order', { url, json: {}, volatile: ['sentAt'] })
// @ts-expect-error what `parse` returns is the data
api.submit<{ id: string }>('order', { url, parse: async () => 42 })

declare const outcome: Outcome<{ id: string }>
// @ts-expect-error only a success has the data of one
outcome.data.id
// @ts-expect-error a success whose answer was lost has no data
if (outcome.state === 'succeeded') outcome.data.id
// @ts-expect-error what is known is not to be changed
outcome.state = 'succeeded'
// @ts-expect-error nothing is ever called failed
if (outcome.state === 'failed') describe(outcome)
// @ts-expect-error idle is no ending
if (outcome.state === 'idle') describe(outcome)

export function forgetsUnknown(snapshot: Outcome<unknown>): string {
  switch (snapshot.state) {
    case 'succeeded':
    case 'refused':
    case 'paused':
      return describe(snapshot)
    default:
      // @ts-expect-error unknown is left
      return snapshot satisfies never
  }
}

declare const snapshot: Snapshot<unknown>
// @ts-expect-error no such reason
if (snapshot.state === 'unknown' && snapshot.reason === 'failed') describe(snapshot)
// @ts-expect-error sentences are for states
describe(snapshot, { failed: 'Failed.' })

declare const caught: unknown
// @ts-expect-error no such code
isSendonceError(caught, 'timeout')
// @ts-expect-error codes are a closed set
new SendonceError('timeout', 'Too late.')

// @ts-expect-error a verdict says for whom a failure speaks
export const rule: Rule = { status: 400, then: { is: 'failure' } }
// @ts-expect-error a ky that resolves with something else
export const notKy: KyLike = async () => 'text'
// @ts-expect-error options are not to be changed afterwards
;((options: ClientOptions) => (options.name = 'other'))({ scope: 'ada' })
// @ts-expect-error a stream is no body, in a variable either
export const request: SubmitRequest = { url, body: new Response('text').body }

export function Form() {
  // @ts-expect-error what to send has to be said
  useIdempotentSubmit({ operation: 'order' })
  const { submit } = useIdempotentSubmit({
    operation: 'order',
    request: (input: { amount: number }) => ({ url, json: input }),
    // @ts-expect-error the form is read into what `request` takes
    fromForm: form => form.get('amount'),
  })
  // @ts-expect-error the input is an object
  submit(42)
  // @ts-expect-error a client or options, not both
  return <SendonceProvider client={api} options={{ scope: 'ada' }} />
}
