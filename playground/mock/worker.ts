import { setupWorker } from 'msw/browser'
import { mockHandlers } from 'sendonce/testing/msw'
import { server } from './server.ts'

/** Puts the server between the page and the network. */
export async function startWorker(): Promise<void> {
  // At every load MSW looks for a newer worker and lets go of the promise. A browser that has not stored the worker of
  // the load before yet, or loads the page again meanwhile, rejects it; the worker that runs will do.
  addEventListener('unhandledrejection', event => {
    if (String(event.reason).includes('Failed to update a ServiceWorker')) event.preventDefault()
  })
  await setupWorker(...mockHandlers(server)).start({
    quiet: true,
    onUnhandledRequest: 'bypass',
    serviceWorker: { url: `${import.meta.env.BASE_URL}mockServiceWorker.js` },
  })
}
