import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A program with all that it starts. */
export interface ProcessGroup {
  /** Resolves with the first line of its standard error that matches; rejects when it ends without. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  /** Ends all of them at once (SIGKILL). */
  kill(): Promise<void>
}

/**
 * A shell leads the group and reads from a pipe that ends when this process does: however a test run dies, no browser
 * is left behind.
 */
const LEADER = '"$@" & read -r _; kill -9 0'

export function startGroup(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): ProcessGroup {
  const leader: ChildProcess = spawn('sh', ['-c', LEADER, 'sh', command, ...args], {
    detached: true,
    env,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const exited = once(leader, 'exit')
  const { stderr, pid } = leader
  if (!stderr || !pid) throw new Error(`${command} could not be started.`)
  const lines = createInterface(stderr)
  // Read to the end, or a program that has much to say would wait for ever.
  lines.on('line', () => {})

  return {
    says: pattern =>
      new Promise((resolve, reject) => {
        const said: string[] = []
        const hear = (line: string) => {
          said.push(line)
          const found = pattern.exec(line)
          if (!found) return
          lines.off('line', hear)
          resolve(found)
        }
        lines.on('line', hear)
        lines.once('close', () => reject(new Error(`${command} has ended:\n${said.join('\n')}`)))
      }),
    async kill() {
      if (leader.exitCode !== null || leader.signalCode !== null) return
      process.kill(-pid, 'SIGKILL')
      await exited
    },
  }
}
