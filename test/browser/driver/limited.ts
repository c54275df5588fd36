/** Below the limit of a test, which would not say what was waited for. */
const LIMIT_MS = 40_000

/** Rejects with what is waited for if it does not come. */
export async function limited<T>(work: Promise<T>, what: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const give = () => reject(new Error(`Waited ${LIMIT_MS} ms in vain for ${what()}.`))
    timer = setTimeout(give, LIMIT_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
