import type { Ratio } from '../statistics.ts'
import { median } from '../statistics.ts'
import type { Arm } from './arms.ts'
import type { Clicks } from './clicks.ts'
import type { Effects } from './effects.ts'
import type { Recovery } from './outage.ts'

/** What was found out about one arm. */
export interface Row {
  readonly arm: Arm
  /** To the head of the request at the server, and to settled, against the same of fetch. */
  readonly times: { readonly seen: Ratio; readonly settled: Ratio } | undefined
  /** In gzip bytes, with everything that a page takes for it, and without what sendonce depends on. */
  readonly bytes: { readonly all: number; readonly own: number } | undefined
  /** By the share of replies that were lost, and at the end when the page was reloaded. */
  readonly effects: readonly Effects[]
  readonly clicks: readonly Clicks[]
  readonly outages: readonly Recovery[]
  readonly closings: readonly Recovery[]
}

const HEAD = [
  '',
  'first byte',
  'settled',
  'kB gzip',
  'no reply lost',
  '10 % lost',
  '30 % lost',
  'reloaded',
  'two clicks',
  'network back',
  'closed offline',
]

export function tableOf(rows: readonly Row[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(HEAD), `|${'---|'.repeat(HEAD.length)}`, ...rows.map(cells).map(line)].join('\n')
}

function cells({ arm, times, bytes, effects, clicks, outages, closings }: Row): string[] {
  return [
    arm.name,
    times ? ratio(times.seen) : '',
    times ? ratio(times.settled) : '',
    bytes ? sizes(bytes) : '',
    ...effects.map(({ perCart }) => perCart.toFixed(2)),
    `${mean(clicks.map(({ effects }) => effects))} (${mean(clicks.map(({ requests }) => requests))})`,
    recovered(outages),
    recovered(closings),
  ]
}

function ratio({ ratio, low, high }: Ratio): string {
  return `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`
}

function sizes({ all, own }: { readonly all: number; readonly own: number }): string {
  const kB = (bytes: number) => (bytes / 1_000).toFixed(1)
  return own === all ? kB(all) : `${kB(all)} (${kB(own)} own)`
}

function recovered(recoveries: readonly Recovery[]): string {
  const sent = recoveries.flatMap(({ sentAfterMs }) => sentAfterMs ?? [])
  if (sent.length === 0) return recoveries.every(({ asks }) => asks) ? 'asks' : 'no'
  const often = sent.length < recoveries.length ? `, ${sent.length} of ${recoveries.length}` : ''
  const told = recoveries.some(({ isTold }) => isTold) ? '' : ', untold'
  return `${(median(sent) / 1_000).toFixed(2)} s${often}${told}`
}

function mean(values: readonly number[]): string {
  return (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(2)
}
