import type { Socket } from 'node:net'

/** Runs one message of the protocol in the only session there is. */
export type Execute = (message: Uint8Array) => Promise<Uint8Array>

const PROTOCOL_3 = 196_608
const SSL_REQUEST = 80_877_103

/** Ends what belongs together: a simple query, or the Sync of an extended one. */
const ENDS = new Set(['Q', 'S'])

/** `AuthenticationOk`, the one parameter that the client looks at, `ReadyForQuery`. */
const WELCOME = Buffer.concat([
  message('R', Buffer.from([0, 0, 0, 0])),
  message('S', Buffer.from('client_encoding\0UTF8\0')),
  message('Z', Buffer.from('I')),
])

/**
 * The server's side of PostgreSQL's frontend/backend protocol 3.0 for many connections over one session: who has begun a
 * transaction has the session until its end, and the others wait.
 */
export function serve(execute: Execute): (socket: Socket) => void {
  let last: Promise<unknown> = Promise.resolve()

  /** Takes the session; resolves with what gives it back. */
  const take = async (): Promise<() => void> => {
    const before = last
    let giveBack = () => {}
    last = new Promise<void>(resolve => {
      giveBack = resolve
    })
    await before
    return giveBack
  }

  return socket => {
    let unread: Buffer = Buffer.alloc(0)
    let started = false
    let batch: Buffer[] = []
    let giveBack: (() => void) | undefined
    let work: Promise<unknown> = Promise.resolve()

    const run = async (messages: readonly Buffer[]) => {
      giveBack ??= await take()
      const replies: Uint8Array[] = []
      for (const each of messages) replies.push(await execute(each))
      const reply = Buffer.concat(replies)
      // `ReadyForQuery` comes last and says whether a transaction is open.
      if (reply.subarray(-1).toString() === 'I') letGo()
      // In one piece: small ones wait for each other's acknowledgement.
      socket.write(reply)
    }
    const letGo = () => {
      giveBack?.()
      giveBack = undefined
    }
    const queue = (task: () => Promise<unknown>) => {
      work = work.then(task).catch(() => socket.destroy())
    }

    socket.on('data', chunk => {
      unread = Buffer.concat([unread, chunk as Buffer])
      for (;;) {
        const head = started ? 1 : 0
        if (unread.length < head + 4) return
        const size = head + unread.readUInt32BE(head)
        if (unread.length < size) return
        const next = unread.subarray(0, size)
        unread = unread.subarray(size)
        if (!started) {
          const code = next.readUInt32BE(4)
          if (code === SSL_REQUEST) socket.write('N')
          else if (code === PROTOCOL_3) socket.write(WELCOME)
          else socket.destroy()
          started = code === PROTOCOL_3
          continue
        }
        batch.push(next)
        if (!ENDS.has(next.subarray(0, 1).toString())) continue
        const whole = batch
        batch = []
        queue(() => run(whole))
      }
    })
    socket.on('error', () => socket.destroy())
    // A process that dies in the middle of a transaction has not made it.
    socket.on('close', () =>
      queue(async () => {
        if (giveBack) await execute(message('Q', Buffer.from('ROLLBACK\0')))
        letGo()
      }),
    )
  }
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
