import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import process from 'node:process'

/** A program that was started here, and is stopped here. */
export interface Program {
  /** Resolves when it has ended. */
  stop(signal: NodeJS.Signals): Promise<void>
}

/** Where a program lies: in one of `folders`, else in `PATH`; undefined where it is not installed. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  const path = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return [...folders, ...path].map(folder => join(folder, name)).find(each => existsSync(each))
}

/** A port of the loopback that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** An empty folder of its own, gone with `remove`. */
export function newFolder(name: string, owner?: User): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `sendonce-${name}-`))
  if (owner) chownSync(path, owner.uid, owner.gid)
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Whom a program runs as. */
export interface User {
  readonly uid: number
  readonly gid: number
}

/** A user of this machine by name; undefined where this process may not become another, or need not. */
export function userNamed(name: string): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  const ask = (flag: string) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout)
  return { uid: ask('-u'), gid: ask('-g') }
}

/** Starts a program. What it says is shown if it ends by itself. */
export function startProgram(
  file: string,
  args: readonly string[],
  options: SpawnOptions & { readonly lastWord?: NodeJS.Signals } = {},
): Program {
  const { lastWord = 'SIGKILL', ...rest } = options
  const child = spawn(file, args, { ...rest, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  let stopping = false
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', chunk => {
      said = `${said}${chunk}`.slice(-4_000)
    })
  }
  // A run that is ended in the middle leaves nothing behind.
  const leave = () => child.kill(lastWord)
  process.once('exit', leave)
  const over = ended(child).then(() => {
    process.off('exit', leave)
    if (!stopping) console.error(`${file} has ended by itself.\n${said}`)
  })
  return {
    stop(signal) {
      stopping = true
      child.kill(signal)
      return over
    },
  }
}

/** Resolves when a process is gone. */
export function ended(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
}

const LOOK_AGAIN_MS = 25
const START_LIMIT_MS = 30_000

/** Resolves when `look` does not reject any more: servers say nothing when they are ready. */
export async function ready(what: string, look: () => Promise<unknown>): Promise<void> {
  const began = Date.now()
  for (;;) {
    try {
      await look()
      return
    } catch (cause) {
      if (Date.now() - began > START_LIMIT_MS) throw new Error(`${what} did not start.`, { cause })
      await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS))
    }
  }
}
