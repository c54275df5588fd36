import type { ServerResponse } from 'node:http'
import process from 'node:process'
import type { Fault } from './faults.ts'

/** How long slow work takes, in milliseconds: longer than the attempts of the tests. */
const SLOW_MS = 750
/**
 * A delivery that is older does not commit, in milliseconds. Without a limit nobody could ever say that what did not happen
 * will not happen.
 */
export const LONGEST_MS = 2_000
/** So long a process that is going to die goes on: the others that have to die at this point get there too. */
const DYING_MS = 30

/** Makes the reply fail when it is about to be sent, and so after all that the request does. */
export function breakReply(response: ServerResponse, fault: Fault | undefined): void {
  const end = endBy(response, fault)
  if (end) Object.assign(response, { end })
}

function endBy(
  response: ServerResponse,
  fault: Fault | undefined,
): ((body: string | Uint8Array) => void) | undefined {
  switch (fault) {
    case 'lose-reply':
      return () => response.socket?.destroy()
    case 'hang-after-effect':
      return () => {}
    case 'crash':
      return () => void die()
    case 'cut-body':
      return body => {
        const bytes = Buffer.from(body)
        response.setHeader('content-length', bytes.length)
        response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.destroy())
      }
    default:
      return undefined
  }
}

/** What business takes, in time and risk. */
export async function work(fault: Fault | undefined): Promise<void> {
  if (fault === 'slow') await new Promise(resolve => setTimeout(resolve, SLOW_MS))
  if (fault === 'crash-before-commit') await die()
}

/** Never settles: from here on nothing of this delivery is done. */
function die(): Promise<never> {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), DYING_MS)
  return new Promise(() => {})
}
