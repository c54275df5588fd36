import type { Client, Operation, Outcome, RetryPolicy, Snapshot } from 'sendonce'
import { createClient, describe } from 'sendonce'

declare global {
  interface Window {
    checkout: Checkout
  }
}

/** A snapshot as far as it survives JSON, its sentence, and since when it is shown (wall clock). */
export interface Shown {
  readonly at: number
  readonly sentence: string
  readonly state: Snapshot<Order>['state']
  readonly reason?: string
  readonly here?: boolean
  readonly key?: string
  readonly attempts?: number
  readonly startedAt?: number
  readonly nextAttemptAt?: number
  readonly data?: Order
  readonly from?: string
  readonly news?: boolean
}

interface Order {
  readonly id: string
}

/** What has come of one operation in this page. */
interface Course {
  readonly handle: Operation<Order>
  /** When the person pressed the button or Enter, as the trusted events tell it. */
  readonly presses: number[]
  /** How many submit events came. */
  submits: number
  /** What each submit or resume was told, in the order of the telling; an error by its text. */
  readonly told: (Shown | { readonly error: string })[]
  /** Everything that was shown, oldest first. */
  readonly shown: Shown[]
  /** Called when another is told. */
  readonly waiting: (() => void)[]
}

/**
 * A form and a client, without a framework and without any guard of its own: the button stays enabled. The address
 * sets the client's retry policy (`?attemptTimeoutMs=500`), the operation (`?operation=`, else `begin` does), and with
 * `?as=form` the order is sent as multipart/form-data. With `?presses=itself` the order is placed when the page is loaded
 * first, where nobody can press the button.
 */
class Checkout {
  readonly client: Client
  readonly #form: HTMLFormElement
  readonly #status: Element
  readonly #asForm: boolean
  readonly #courses = new Map<string, Course>()
  #operation = ''
  #stop: (() => void) | undefined

  constructor(settings: URLSearchParams, form: HTMLFormElement, status: Element) {
    const retry: Partial<Record<keyof RetryPolicy, number>> = {}
    for (const name of ['maxAttempts', 'attemptTimeoutMs', 'deadlineMs', 'baseDelayMs'] as const) {
      const given = settings.get(name)
      if (given) retry[name] = Number(given)
    }
    this.client = createClient({ scope: 'ada', retry })
    this.#form = form
    this.#status = status
    this.#asForm = settings.get('as') === 'form'
    const press = (event: Event) => {
      if (event.isTrusted) this.course().presses.push(event.timeStamp)
    }
    form.addEventListener('mousedown', press)
    form.addEventListener('keydown', press)
    form.addEventListener('submit', event => {
      event.preventDefault()
      this.course().submits += 1
      this.hear(this.submit())
    })
    const operation = settings.get('operation')
    if (operation) this.begin(operation)
    const isAgain = 'wasDiscarded' in document && document.wasDiscarded === true
    if (settings.get('presses') === 'itself' && !isAgain) form.requestSubmit()
  }

  /** From now on the form and the status are those of this operation. */
  begin(operation: string): void {
    this.#stop?.()
    this.#operation = operation
    const handle = this.client.operation<Order>(operation)
    const course: Course = { handle, presses: [], submits: 0, told: [], shown: [], waiting: [] }
    this.#courses.set(operation, course)
    const show = () => {
      const shown = toShown(handle.getSnapshot())
      course.shown.push(shown)
      if (this.#operation === operation) this.#status.textContent = JSON.stringify(shown)
    }
    this.#stop = handle.subscribe(show)
    show()
  }

  course(operation: string = this.#operation): Course {
    const course = this.#courses.get(operation)
    if (!course) throw new Error(`begin('${operation}') comes first.`)
    return course
  }

  /** As the form does it, without an event. */
  submit(): Promise<Outcome<Order>> {
    const form = new FormData(this.#form)
    const { item, amount, address } = Object.fromEntries(form)
    return this.course().handle.submit({
      url: '/api/orders',
      headers: { 'X-Operation': this.#operation },
      ...(this.#asForm ? { form } : { json: { item, amount: Number(amount), address } }),
    })
  }

  /** Resolves with what has come of an operation when so many submits have been told. */
  async whenTold(
    count: number,
    operation?: string,
  ): Promise<Pick<Course, 'presses' | 'submits' | 'told'>> {
    const course = this.course(operation)
    const { presses, submits, told } = course
    if (told.length >= count) return { presses, submits, told }
    await new Promise<void>(resolve => course.waiting.push(resolve))
    return this.whenTold(count, operation)
  }

  /** Takes down what comes of a submit or a resume. */
  hear(outcome: Promise<Outcome<Order>>): void {
    const { told, waiting } = this.course()
    outcome
      .then(toShown, error => ({ error: String(error) }))
      .then(known => {
        told.push(known)
        for (const wake of waiting.splice(0)) wake()
      })
  }
}

function toShown(snapshot: Snapshot<Order>): Shown {
  const left = { response: undefined, cause: undefined }
  return JSON.parse(
    JSON.stringify({ at: Date.now(), sentence: describe(snapshot), ...snapshot, ...left }),
  )
}

const form = document.querySelector('form')
const status = document.querySelector('[role=status]')
if (!form || !status) throw new Error('The page has no form or no status.')
window.checkout = new Checkout(new URLSearchParams(location.search), form, status)
