/// <reference types="vite/client" />
import 'react'

declare module 'react' {
  interface CSSProperties {
    [property: `--${string}`]: string | number
  }
}
