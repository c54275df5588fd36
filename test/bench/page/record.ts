import { createClient } from 'sendonce'

/** What sendonce writes down of one order before it sends it. */
export async function recordOf(json: unknown): Promise<object> {
  const written: unknown[] = []
  const client = createClient({
    scope: 'ada',
    name: 'looked-at',
    storage: {
      change: async (_key, decide) => {
        const change = decide(written.at(-1))
        if ('keep' in change) written.push(change.keep)
        return change.result
      },
      list: async () => [],
      close: () => {},
    },
  })
  await client.submit('order', { url: '/api/orders', json })
  await client.idle()
  client.close()
  return written[0] as object
}
