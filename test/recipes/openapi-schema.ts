import type { Cart, Order } from './api.ts'

/** What openapi-typescript makes of the description of the server. */
export interface paths {
  '/api/orders': {
    post: {
      requestBody: { content: { 'application/json': Cart } }
      responses: {
        201: { content: { 'application/json': Order } }
        422: { content: { 'application/problem+json': { detail: string } } }
      }
    }
  }
}
