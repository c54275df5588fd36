import type { Client } from 'sendonce'

/** Asks first, if something would be left of which nobody knows how it ended. */
export async function signOut(api: Client, ask: (question: string) => boolean): Promise<void> {
  const { unknown } = await api.forget({ dryRun: true })
  if (unknown > 0 && !ask(`${unknown} of your orders may still arrive. Sign out?`)) return
  await api.forget()
  location.assign('/signed-out')
}

/** What was left by the last visit, and going on with what needs nobody's decision. */
export async function signedIn(api: Client): Promise<readonly string[]> {
  await api.resumeAll()
  const left = await api.unsettled()
  return left.map(({ operation, url, snapshot }) => `${operation} (${url}): ${snapshot.state}`)
}
