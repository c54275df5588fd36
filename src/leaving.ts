/** Resolves after so many milliseconds, or when the page is left before. */
export function pausedOrLeft(ms: number): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('pagehide', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('pagehide', end)
  })
}
