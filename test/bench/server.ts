import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
}

/** An order, as small as a server can answer it: what is measured is the client. */
const ORDER = JSON.stringify({ id: 'order-1', item: 'book', amount: 42 })

/** On the loopback device: the files of a folder, and 201 for every POST once its body has arrived. */
export async function startServer(folder: string): Promise<{ origin: string; close(): void }> {
  const server: Server = createServer({ keepAliveTimeout: 120_000 }, async (request, response) => {
    if (request.method === 'POST') {
      for await (const _chunk of request);
      response.writeHead(201, { 'content-type': 'application/json' }).end(ORDER)
      return
    }
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const bytes = await readFile(join(folder, pathname)).catch(() => undefined)
    response
      .writeHead(bytes ? 200 : 404, {
        'content-type': TYPES[extname(pathname)] ?? 'application/octet-stream',
        // An isolated page sees time in steps of 5 µs; any other in steps of 0.1 ms, 1 % of a run.
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
      })
      .end(bytes)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
