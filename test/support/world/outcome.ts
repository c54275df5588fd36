/** Waits for the end, whichever it is, and hands it over when asked. */
export function outcomeOf<T>(run: () => T | Promise<T>): Promise<() => T> {
  return new Promise<T>(resolve => resolve(run())).then(
    value => () => value,
    error => () => {
      throw error
    },
  )
}
