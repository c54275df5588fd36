import { html } from './answers.ts'
import type { Answer, Ending, Head } from './exchange.ts'
import { faultAnswer } from './fault-answer.ts'
import type { Fault } from './faults.ts'
import { MOVED } from './faults.ts'

/** Where the fault `sign-in` sends a request. */
export const SIGN_IN_PATH = '/sign-in'

/** How a fault ends a delivery that is not looked at; undefined: it is executed. */
export function endingBefore(
  fault: Fault | undefined,
  head: Head,
  now: number,
): Ending | undefined {
  switch (fault?.is) {
    case 'hang':
      return { is: 'hang' }
    case 'captive-portal':
      return { is: 'answer', answer: html(200, 'Welcome to the hotel network') }
    case 'sign-in':
      return redirect(302, new URL(SIGN_IN_PATH, head.url))
    case 'redirect': {
      const moved = new URL(head.url)
      moved.searchParams.set(MOVED, '1')
      return redirect(fault.status, moved)
    }
    case 'status':
      if (hasEffect(fault) || fault.stored) return undefined
      return { is: 'answer', answer: faultAnswer(fault, now) }
    default:
      return undefined
  }
}

/** How a fault ends a delivery that was executed and is answered by `answer`. */
export function endingAfter(fault: Fault | undefined, answer: Answer, now: number): Ending {
  switch (fault?.is) {
    case 'lose-reply':
    case 'crash':
      return { is: 'lost' }
    case 'reset-reused':
      return { is: 'reset' }
    case 'hang-after-effect':
      return { is: 'hang' }
    case 'cut-body':
      return { is: 'cut', answer }
    case 'stall-body':
      return { is: 'stall', answer }
    case 'opaque':
      return { is: 'opaque', answer }
    case 'status':
      return { is: 'answer', answer: faultAnswer(fault, now) }
    case 'false-replay':
      return {
        is: 'answer',
        answer: { status: 204, headers: { 'idempotent-replayed': 'true' }, body: '' },
      }
    default:
      return { is: 'answer', answer }
  }
}

/** Whether the order is placed although the answer is this status. */
export function hasEffect(fault: Extract<Fault, { is: 'status' }>): boolean {
  return fault.effect ?? fault.status < 300
}

function redirect(status: number, to: URL): Ending {
  return { is: 'answer', answer: { status, headers: { location: to.href }, body: '' } }
}
