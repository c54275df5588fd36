import type { MockServer } from 'sendonce/testing'

/** Resolves when the server shows what `holds` asks for. */
export function until(server: MockServer, holds: () => boolean): Promise<void> {
  return new Promise(resolve => {
    const look = () => {
      if (!holds()) return
      stop()
      resolve()
    }
    const stop = server.subscribe(look)
    look()
  })
}
