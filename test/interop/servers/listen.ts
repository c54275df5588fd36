import type { Server } from 'node:net'
import process from 'node:process'

/** What a program of ours is told, and tells when it has done so. */
export interface Listen {
  /** 0: any that is free. */
  readonly port: number
}

/** For the entries: listens as soon as they are told where, and ends when there is nobody to serve any more. */
export function listenWhenTold(listener: Server): void {
  process.once('message', message => {
    listener.listen((message as Listen).port, '127.0.0.1', () => {
      const address = listener.address()
      process.send?.({ port: typeof address === 'object' && address ? address.port : 0 })
    })
  })
  process.once('disconnect', () => process.exit())
}
