export type { MockHandlerOptions } from '../faces/msw.ts'
export { mockHandlers } from '../faces/msw.ts'
