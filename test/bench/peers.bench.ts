import { expect, it } from 'vitest'
import { ARMS, FETCH, pathOf } from './compare/arms.ts'
import { Booth } from './compare/booth.ts'
import { buildPages, sizeOf } from './compare/build.ts'
import type { Clicks } from './compare/clicks.ts'
import { twoClicks } from './compare/clicks.ts'
import type { Effects } from './compare/effects.ts'
import { underLoss, underReload } from './compare/effects.ts'
import { circumstances, writeFigures } from './compare/figures.ts'
import type { Recovery } from './compare/outage.ts'
import { throughClosing, throughOutage } from './compare/outage.ts'
import { Shop } from './compare/shop.ts'
import type { Row } from './compare/table.ts'
import { tableOf } from './compare/table.ts'
import type { Times } from './compare/times.ts'
import { againOf, timesOf } from './compare/times.ts'
import { median, ratioOfMedians } from './statistics.ts'

/** `BENCH_QUICK=1` tries everything out and writes nothing. */
const isQuick = process.env.BENCH_QUICK !== undefined
const ROUNDS = isQuick ? 5 : Number(process.env.BENCH_ROUNDS ?? 150)
const CARTS = isQuick ? 5 : 100
const RELOADS = isQuick ? 2 : 8
const OUTAGES = isQuick ? 1 : 3
const CLICKS = isQuick ? 1 : 5
const LOST = [0, 0.1, 0.3]
/** Two equal arms that differ by more than this say that the machine is too noisy to say anything. */
const QUIET = { from: 0.97, to: 1.03 }
/** What sendonce depends on: an app may have it anyway. */
const DEPENDENCIES = ['ky', 'nanoid', 'idb-keyval']

it('compares sendonce with what else there is', async () => {
  const shop = await Shop.open(await buildPages())
  const booths: Booth[] = []
  const began = performance.now()
  const done = (what: string) =>
    console.log(`${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s  ${what}`)
  try {
    const times = await timesOf(
      ARMS.filter(({ isTimed }) => isTimed),
      FETCH,
      shop,
      ROUNDS,
    )
    done('times')
    // One after the other: browsers that start at once are slow at it.
    for (const arm of ARMS) booths.push(await Booth.open(arm, shop))
    done('browsers')
    const clicks: ReadonlyMap<Booth, Clicks>[] = []
    for (let n = 0; n < CLICKS; n += 1) clicks.push(await twoClicks(booths, 1_000 + n))
    done('two clicks')
    // None of the rest is about speed, and so all arms go through it at once.
    const rest = await Promise.all(booths.map(goThrough))
    done('lost replies, reloads, outages')

    const fetched = times.get(pathOf(FETCH)) as Times
    const against = ({ seen, settled }: Times) => ({
      seen: ratioOfMedians(seen, fetched.seen),
      settled: ratioOfMedians(settled, fetched.settled),
    })
    const rows: Row[] = []
    for (const [n, booth] of booths.entries()) {
      const { arm } = booth
      const timed = times.get(pathOf(arm))
      rows.push({
        arm,
        times: timed && against(timed),
        bytes: arm.imports && {
          all: await sizeOf(arm),
          own: await sizeOf(arm, arm.page === 'sendonce' ? DEPENDENCIES : []),
        },
        clicks: clicks.map(trial => trial.get(booth) as Clicks),
        ...(rest[n] as Rest),
      })
    }
    const same = against(times.get(againOf(pathOf(FETCH))) as Times)
    const figures = `${circumstances(await versionOf(booths[0] as Booth))}
${ROUNDS} runs, ${CARTS} carts, ${RELOADS} reloads, ${OUTAGES} outages, ${CLICKS} times two clicks. p50 of fetch: first
byte ${median(fetched.seen).toFixed(2)} ms, settled ${median(fetched.settled).toFixed(2)} ms. fetch against itself:
${same.seen.ratio.toFixed(3)} and ${same.settled.ratio.toFixed(3)}.

${tableOf(rows)}`
    console.log(`\n${figures}\n`)
    const isQuiet = Object.values(same).every(
      ({ ratio }) => QUIET.from <= ratio && ratio <= QUIET.to,
    )
    if (!isQuiet) console.log('too noisy: docs/benchmark.md stays as it is')
    else if (!isQuick) writeFigures(figures)

    for (const { effects, clicks } of rows.filter(({ arm }) => arm.page === 'sendonce')) {
      for (const found of effects) expect(found).toEqual({ perCart: 1, missing: 0, untold: 0 })
      for (const found of clicks) expect(found).toEqual({ requests: 1, effects: 1 })
    }
  } finally {
    await Promise.all(booths.map(booth => booth.close()))
    shop.close()
  }
})

type Rest = Pick<Row, 'effects' | 'outages' | 'closings'>

async function goThrough(booth: Booth): Promise<Rest> {
  const effects: Effects[] = []
  // Each measure has carts of its own, which are the same for every arm.
  for (const [n, lost] of LOST.entries())
    effects.push(await underLoss(booth, lost, 10_000 * (n + 1), CARTS))
  effects.push(await underReload(booth, 2_000, RELOADS))
  const outages: Recovery[] = []
  for (let n = 0; n < OUTAGES; n += 1) outages.push(await throughOutage(booth, 3_000 + n))
  const closings: Recovery[] = []
  for (let n = 0; n < OUTAGES; n += 1) closings.push(await throughClosing(booth, 4_000 + n))
  return { effects, outages, closings }
}

async function versionOf({ tab }: Booth): Promise<string> {
  return (await tab.cdp.send('Browser.getVersion')).product
}
