import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import process from 'node:process'
import type { Entry } from '../build.ts'
import { built } from '../build.ts'
import type { Listen } from './listen.ts'
import { ended } from './program.ts'

/** A program of ours in a process of its own. Whenever it dies another one takes its port. */
export interface Supervised {
  readonly port: number
  /** How often it died. */
  readonly deaths: number
  /** It is going to die often: from now on another one is kept ready. */
  expectDeaths(): void
  stop(): Promise<void>
}

/** Starts an entry. */
export async function supervise(
  entry: Entry,
  env: Readonly<Record<string, string>>,
): Promise<Supervised> {
  let deaths = 0
  let stopping = false
  let spare = false
  let working: ChildProcess | undefined
  let waiting: ChildProcess | undefined
  const spawn = () =>
    fork(built(entry), {
      env: { ...process.env, ...env },
      execArgv: [],
      // The middlewares print what the tests do to them.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })

  const start = (port: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const child = waiting ?? spawn()
      working = child
      waiting = spare ? spawn() : undefined
      child.once('message', message => resolve((message as Listen).port))
      child.once('exit', code => {
        reject(new Error(`${entry} ended with ${code} before it listened.`))
        if (stopping || known === undefined) return
        deaths += 1
        start(known).catch(error => console.error(error))
      })
      const listen: Listen = { port }
      child.send(listen)
    })

  let known: number | undefined
  const port = await start(0)
  known = port
  return {
    port,
    get deaths() {
      return deaths
    },
    expectDeaths() {
      spare = true
      waiting ??= spawn()
    },
    async stop() {
      stopping = true
      for (const child of [working, waiting]) child?.kill('SIGKILL')
      for (const child of [working, waiting]) if (child) await ended(child)
    },
  }
}
