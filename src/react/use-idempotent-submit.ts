'use client'

import { useContext, useInsertionEffect, useMemo, useSyncExternalStore } from 'react'
import { sourceOf } from '../binding/client-source.ts'
import type { IdempotentSubmit, SubmitOptions } from '../binding/options.ts'
import { createSubmission } from '../binding/submission.ts'
import { describe } from '../describe.ts'
import { check } from '../errors.ts'
import { SourceContext } from './provider.tsx'

/**
 * A form or a button that does its work once, however often it is pressed, in however many tabs.
 *
 * @throws SendonceError `invalid-argument`, while rendering, where there is no client
 * @example
 * const order = useIdempotentSubmit({
 *   operation: `checkout:${cart.id}`,
 *   fromForm: toCart,
 *   request: (cart: Cart) => ({ url: 'orders', json: cart, parse: toOrder }),
 *   onSuccess: ({ data }) => navigate(data ? `/orders/${data.id}` : '/orders'),
 * })
 * return <form {...order.formProps}>… <button {...order.submitProps}>Order</button></form>
 */
export function useIdempotentSubmit<Input, T = unknown>(
  options: SubmitOptions<Input, T>,
): IdempotentSubmit<Input, T> {
  const { client, operation, sentences } = options
  const provided = useContext(SourceContext)
  const submission = useMemo(() => {
    const source = client ? sourceOf(client) : provided
    check(source, 'client', client, 'pass one, or render a <SendonceProvider> around this')
    return createSubmission<Input, T>(source, operation)
  }, [client, provided, operation])
  const { subscribe, look, lookOnServer } = submission
  useInsertionEffect(() => {
    submission.options = options
  })
  const shown = useSyncExternalStore(subscribe, look, lookOnServer)
  return useMemo(() => {
    const { said, ...rest } = shown
    return { ...rest, message: describe(rest.error ?? said, { idle: '', ...sentences }) }
  }, [shown, sentences])
}
