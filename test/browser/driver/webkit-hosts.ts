import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** A SOCKS proxy for which every host name is this machine: insecure origins and second sites, and nothing outside. */
export interface Hosts {
  readonly url: string
  close(): void
}

/** https://www.rfc-editor.org/rfc/rfc1928 */
const VERSION = 5
const NO_AUTHENTICATION = 0
const CONNECT = 1
const HOST_NAME = 3
const SUCCEEDED = [VERSION, 0, 0, 1, 0, 0, 0, 0, 0, 0]
const UNREACHABLE = [VERSION, 4, 0, 1, 0, 0, 0, 0, 0, 0]

export async function startHosts(): Promise<Hosts> {
  const open = new Set<Socket>()
  const server = createServer(client => {
    open.add(client)
    client.once('close', () => open.delete(client)).on('error', () => client.destroy())
    serve(client).catch(() => client.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const client of open) client.destroy()
      server.close()
    },
  }
}

async function serve(client: Socket): Promise<void> {
  const [, methods = 0] = await read(client, 2)
  await read(client, methods)
  client.write(Buffer.from([VERSION, NO_AUTHENTICATION]))
  const [, command, , kind] = await read(client, 4)
  if (command !== CONNECT || kind !== HOST_NAME) return void client.end(Buffer.from(UNREACHABLE))
  const [length = 0] = await read(client, 1)
  await read(client, length)
  const port = (await read(client, 2)).readUInt16BE()

  const server = connect(port, '127.0.0.1', () => {
    client.write(Buffer.from(SUCCEEDED))
    client.pipe(server).pipe(client)
  })
  // A connection that breaks on one side breaks on the other, and in the same way.
  server.on('error', () => client.resetAndDestroy())
  server.on('close', () => client.destroy())
  client.on('close', () => server.destroy())
}

/** So many bytes. */
async function read(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const bytes: Buffer | null = count > 0 ? socket.read(count) : Buffer.alloc(0)
    if (bytes) return bytes
    await new Promise<void>((resolve, reject) => {
      socket.once('readable', resolve).once('close', () => reject(new Error('It has ended.')))
    })
  }
}
