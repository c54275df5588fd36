declare module '*.vue' {
  import type { DefineComponent } from 'vue'
  import type { Cart } from '../api.ts'

  const component: DefineComponent<{ cart: Cart }>
  export default component
}
