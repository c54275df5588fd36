/** A conversation with WebKitWebDriver, command after command: https://www.w3.org/TR/webdriver2 */
export class Session {
  readonly #address: string
  /** The window that the session began with. It stays open, because the session ends with its last one. */
  readonly #first: string
  #window: string
  #last: Promise<unknown> = Promise.resolve()

  private constructor(address: string, window: string) {
    this.#address = address
    this.#first = window
    this.#window = window
  }

  static async begin(driver: string, capabilities: object): Promise<Session> {
    const { sessionId } = (await call('POST', `${driver}/session`, {
      capabilities: { alwaysMatch: capabilities },
    })) as { sessionId: string }
    const address = `${driver}/session/${sessionId}`
    return new Session(address, String(await call('GET', `${address}/window`)))
  }

  /** Commands are for one window, which is chosen by a command before: no other may come between the two. */
  send<Result = unknown>(window: string, path: string, body: object = {}): Promise<Result> {
    return this.#next(async () => {
      if (window !== this.#window) {
        await call('POST', `${this.#address}/window`, { handle: window })
        this.#window = window
      }
      return (await call('POST', this.#address + path, body)) as Result
    })
  }

  newWindow(): Promise<string> {
    return this.#next(async () => {
      const opened = await call('POST', `${this.#address}/window/new`, { type: 'tab' })
      return (opened as { handle: string }).handle
    })
  }

  closeWindow(window: string): Promise<void> {
    return this.#next(async () => {
      await call('POST', `${this.#address}/window`, { handle: window })
      await call('DELETE', `${this.#address}/window`)
      // No command is heard in a window that is gone, not even the one for a new one.
      await call('POST', `${this.#address}/window`, { handle: this.#first })
      this.#window = this.#first
    })
  }

  #next<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(run)
    this.#last = result.catch(() => {})
    return result
  }
}

async function call(method: string, address: string, body?: object): Promise<unknown> {
  const response = await fetch(address, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  })
  const { value } = (await response.json()) as { value: unknown }
  if (response.ok) return value
  const { error, message } = value as { error: string; message: string }
  throw new Error(`${error}: ${message}`)
}
