import type { Content } from '../fields.ts'
import { contentOf, isSame } from '../fields.ts'
import { propertyOf } from '../form-property.ts'
import { pausedOrLeft } from '../leaving.ts'
import type { Outcome, Snapshot } from '../lifecycle.ts'
import type { Operation } from '../operation.ts'

/** The second half of a double click still meets what it was meant for: as `joinMs` of the client, where it is not set. */
const EMPTY_AFTER_MS = 1_000

/** Empties a form once what was submitted of it has succeeded, unless somebody has typed since. */
export interface Emptying {
  /** It is submitted as it is now. Returns how to take that back: nothing was sent of it. */
  submit(isUnderWay: boolean): () => void
  /** It holds what was submitted before it came, some of which may be put back later. */
  found(): void
  /** To be told once of each that is shown. */
  see(snapshot: Snapshot<unknown>): void
}

interface Sent {
  readonly content: Content
  /** The key that it is sent with, once that is known. */
  readonly key?: string | undefined
  /** What was in it when it was submitted again under way: sent under another key, if the first was never executed. */
  readonly next?: Content | undefined
}

/** What is being sent of a form, whichever binding of it has begun that. */
interface Submitted {
  readonly operation: Operation<unknown>
  sent?: Sent | undefined
  /** How often it was submitted. */
  count: number
}

const submittedOf = new WeakMap<HTMLFormElement, Submitted>()

/** What they hold has succeeded a moment ago, or they are being reset by us. */
const toEmpty = new WeakSet<HTMLFormElement>()

/** A reset, ours or the page's own, that follows from the success, and takes back nothing of it. */
export function isEmptying(form: HTMLFormElement): boolean {
  return toEmpty.has(form)
}

export function createEmptying(form: HTMLFormElement, operation: Operation<unknown>): Emptying {
  const before = submittedOf.get(form)
  const submitted: Submitted = before?.operation === operation ? before : { operation, count: 0 }
  submittedOf.set(form, submitted)

  return {
    submit(isUnderWay) {
      const { sent } = submitted
      const content = contentOf(form)
      toEmpty.delete(form)
      submitted.sent = sent && isUnderWay ? { ...sent, next: content } : { content }
      submitted.count += 1
      const { count } = submitted
      return () => {
        // Unless it was another body that has taken its place.
        if (count === submitted.count) submitted.sent = sent
      }
    },
    found() {
      if (submitted.count === 0) submitted.sent = { ...submitted.sent, content: contentOf(form) }
    },
    see(snapshot) {
      const { sent } = submitted
      const { state, key } = snapshot as Outcome<unknown>
      if (!sent) return
      const isNext = key && sent.key && key !== sent.key && sent.next
      const now = isNext ? { content: sent.next, key } : { ...sent, key: sent.key ?? key }
      const isOver = state === 'succeeded' && key === now.key
      submitted.sent = isOver ? undefined : now
      if (!isOver) return
      toEmpty.add(form)
      // When it is left, or a browser that comes back to this page would put back what it held.
      pausedOrLeft(EMPTY_AFTER_MS).then(() => empty(form, now.content))
    },
  }
}

/** A form that keeps what was ordered invites a second order. What was typed since stays. */
function empty(form: HTMLFormElement, ordered: Content): void {
  const state = propertyOf(form, 'getAttribute')('data-sendonce-state')
  // Another one may be under way by then, or refused.
  const isOver = state === 'idle' || state === 'succeeded'
  toEmpty.add(form)
  if (isOver && isSame(contentOf(form), ordered)) propertyOf(form, 'reset')()
  toEmpty.delete(form)
}
