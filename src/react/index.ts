'use client'

export type { SendonceProviderProps } from './provider.tsx'
export { SendonceProvider } from './provider.tsx'
export { useCountdown } from './use-countdown.ts'
export type { IdempotentSubmit, SubmitOptions } from './use-idempotent-submit.ts'
export { useIdempotentSubmit } from './use-idempotent-submit.ts'
