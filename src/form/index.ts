export { bindForm } from './bind-form.ts'
export type { BoundForm, FormOptions } from './options.ts'
