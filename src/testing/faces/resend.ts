import type { Ending, Head } from '../exchange.ts'

/** How many idle connections the imagined browser holds: with two, one `fetch` was measured to arrive three times. */
const IDLE_CONNECTIONS = 2

/**
 * Does what a browser does without telling the page: a connection that was used before and breaks without an answer is
 * replaced, and the same request sent again, the last time on a fresh one. For faces that have no connections.
 */
export async function resent(head: Head, send: (head: Head) => Promise<Ending>): Promise<Ending> {
  for (let idle = IDLE_CONNECTIONS; ; idle--) {
    const ending = await send({ ...head, reused: idle > 0 })
    if (ending.is !== 'reset' || idle === 0) return ending
  }
}
