declare global {
  interface Window {
    /** What has gone wrong in the page; filled by webkit-browser.js. */
    driverErrors?: string[]
    /** What came of functions that returned promises, by number. */
    driverSettled?: Map<number, Settled>
  }
}

/** A result as JSON, undefined being none; or what was thrown. */
export interface Settled {
  readonly json?: string | undefined
  readonly error?: string
}

/** What one look at the page brings. */
export interface Look {
  readonly errors: readonly string[]
  /** undefined: not yet. */
  readonly settled?: Settled | undefined
  /** The page that was asked is gone. */
  readonly gone?: boolean
}

/**
 * Runs in the page: calls a function without waiting for what it promises, because WebDriver does one thing at a time,
 * and this may be waiting for another tab.
 */
export function begin(run: () => unknown, id: number): Look {
  window.driverSettled ??= new Map()
  const settled = window.driverSettled
  const returned = (value: unknown): Settled => ({ json: JSON.stringify(value) })
  const thrown = (error: unknown): Settled => ({ error: String(error) })
  const look = (settled?: Settled): Look => ({
    errors: window.driverErrors?.splice(0) ?? [],
    settled,
  })
  try {
    const result = run()
    if (!(result instanceof Promise)) return look(returned(result))
    result.then(returned).then(
      value => settled.set(id, value),
      error => settled.set(id, thrown(error)),
    )
    return look()
  } catch (error) {
    return look(thrown(error))
  }
}

/** Runs in the page. */
export function lookAt(id: number): Look {
  const settled = window.driverSettled?.get(id)
  window.driverSettled?.delete(id)
  return {
    errors: window.driverErrors?.splice(0) ?? [],
    settled,
    gone: window.driverSettled === undefined,
  }
}
