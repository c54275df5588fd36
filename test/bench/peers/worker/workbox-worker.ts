import { Queue } from 'workbox-background-sync'

declare const self: ServiceWorkerGlobalScope

/** https://developer.chrome.com/docs/workbox/modules/workbox-background-sync#advanced_usage */
const queue = new Queue('orders')

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()))
self.addEventListener('fetch', event => {
  if (event.request.method !== 'POST') return
  event.respondWith(send(event.request))
})

/** The page is told of the error, as the documentation has it, and the request goes into the queue. */
async function send(request: Request): Promise<Response> {
  try {
    return await fetch(request.clone())
  } catch (error) {
    await queue.pushRequest({ request })
    throw error
  }
}
