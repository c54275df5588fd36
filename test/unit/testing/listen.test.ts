import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ListenOptions } from 'sendonce/testing'
import { createMockServer, listen } from 'sendonce/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { until } from './faces.ts'

async function open(options: ListenOptions = {}) {
  const server = createMockServer()
  const listening = await listen(server, options)
  onTestFinished(listening.close)
  return { server, ...listening }
}

/** Bytes as they are on the wire, without a client that would make something else of them. */
async function raw(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(sent)
  let received = ''
  try {
    for await (const chunk of socket.setEncoding('utf8')) received += chunk
  } catch {
    // Reset by the server: what came before is what counts.
  }
  return received
}

const BODY = '{"item":"tea"}'
const HEAD =
  'POST /api/orders HTTP/1.1\r\nHost: shop.test\r\nIdempotency-Key: k\r\n' +
  `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`

describe('a fault on the wire', () => {
  it('breaks the connection before the body was sent', async () => {
    const { server, port } = await open()
    server.next('lose-request')
    expect(await raw(port, HEAD)).toBe('')
    expect(server.ledger()).toHaveLength(0)
  })

  it('breaks the connection after the body was read', async () => {
    const { server, port } = await open()
    server.next('lose-reply')
    expect(await raw(port, HEAD + BODY)).toBe('')
    expect(server.ledger()).toHaveLength(1)
  })

  it('announces a longer body than it sends', async () => {
    const { server, port } = await open()
    server.next('cut-body')
    const [head = '', body = ''] = (await raw(port, HEAD + BODY)).split('\r\n\r\n')
    const announced = Number(/content-length: (\d+)/i.exec(head)?.[1])
    expect(head).toMatch(/^HTTP\/1\.1 201 /)
    expect(body.length).toBe(announced >> 1)
  })

  it('executes nothing when the client goes away in the middle of its body', async () => {
    const server = createMockServer()
    const { port, close } = await listen(server)
    const socket = connect(port, '127.0.0.1')
    socket.write(HEAD + BODY.slice(0, 5))
    await until(server, () => server.log().length === 1)
    socket.destroy()
    await close()
    expect(server.ledger()).toHaveLength(0)
  })
})

describe('cross origin', () => {
  it('answers a preflight and names what may be read', async () => {
    const { server, origin } = await open({ cors: true })
    const headers = {
      origin: 'http://app.test',
      'access-control-request-headers': 'idempotency-key',
    }
    const preflight = await fetch(`${origin}/api/plain/orders`, { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('http://app.test')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('idempotency-key')
    expect(server.log()).toHaveLength(0)
  })

  it('allows and exposes what it is told, to the origins that it is told', async () => {
    const cors = {
      origins: ['http://app.test'],
      allowHeaders: ['content-type'],
      allowMethods: ['POST'],
      exposeHeaders: [],
    }
    const { server, origin } = await open({ cors })
    const preflight = async (from: string) => {
      const headers = { origin: from, 'access-control-request-headers': 'idempotency-key' }
      const asked = await fetch(`${origin}/api/orders`, { method: 'OPTIONS', headers })
      const named = ['origin', 'headers', 'methods']
      return named.map(name => asked.headers.get(`access-control-allow-${name}`))
    }
    expect(await preflight('http://app.test')).toEqual(['http://app.test', 'content-type', 'POST'])
    expect(await preflight('http://other.test')).toEqual([null, null, null])
    expect(server.log()).toHaveLength(0)
  })

  it('places no order for a preflight that it does not understand', async () => {
    const { server, origin } = await open()
    const preflight = await fetch(`${origin}/api/plain/orders`, { method: 'OPTIONS' })
    expect([preflight.status, server.ledger().length]).toEqual([404, 0])
  })

  it('says nothing of origins in an opaque answer', async () => {
    const { server, origin } = await open({ cors: true })
    server.next('opaque')
    const response = await fetch(`${origin}/api/plain/orders`, { method: 'POST' })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(server.ledger()).toHaveLength(1)
  })
})

describe('files', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sendonce-files-'))
    await writeFile(join(folder, 'index.html'), '<h1>Shop</h1>')
    await writeFile(join(folder, 'app.js'), 'export {}')
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('are served from the folder of the longest path that fits', async () => {
    const { origin } = await open({ static: { '/': '/nowhere', '/shop/': folder } })
    const page = await fetch(`${origin}/shop/?query`)
    expect(await page.text()).toBe('<h1>Shop</h1>')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const script = await fetch(`${origin}/shop/app.js`)
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect((await fetch(`${origin}/app.js`)).status).toBe(404)
  })

  it('are sent with no-store on demand', async () => {
    const { origin } = await open({ static: { '/': folder }, noStore: true })
    expect((await fetch(`${origin}/`)).headers.get('cache-control')).toBe('no-store')
  })

  it('outside the folder are not there', async () => {
    const { port } = await open({ static: { '/': folder } })
    const head =
      'GET /%2e%2e%2f%2e%2e%2fetc/passwd HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    expect(await raw(port, head)).toMatch(/^HTTP\/1\.1 404 /)
  })
})

it('rejects when the port is taken', async () => {
  const { port } = await open()
  await expect(listen(createMockServer(), { port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
