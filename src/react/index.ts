'use client'

export type { IdempotentSubmit, SubmitOptions } from '../binding/options.ts'
export type { SendonceProviderProps } from './provider.tsx'
export { SendonceProvider } from './provider.tsx'
export { useCountdown } from './use-countdown.ts'
export { useIdempotentSubmit } from './use-idempotent-submit.ts'
