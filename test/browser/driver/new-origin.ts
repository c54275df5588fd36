/** Where pages of this process may have been, and have left something. */
const used = new Set<string>()

/**
 * Listens where no page of this process has been. What browsers store goes by host and port, systems give ports anew that
 * were closed, and a browser outlives the tests of a file.
 */
export async function onNewOrigin<T extends { readonly origin: string; close(): unknown }>(
  listen: () => Promise<T>,
): Promise<T> {
  const listening = await listen()
  if (used.has(listening.origin)) {
    await listening.close()
    return onNewOrigin(listen)
  }
  used.add(listening.origin)
  return listening
}
