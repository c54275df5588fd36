import { describe, inject } from 'vitest'
import { labIn } from '../browser/lab.ts'
import { oneShop } from '../browser/shop.ts'
import type { Engine } from './installed.ts'
import { oneBrowser } from './one-browser.ts'
import type { Kept } from './suite/back.ts'
import { comesBack } from './suite/back.ts'
import { bindsForms } from './suite/bindings.ts'
import { claimsInOneStep } from './suite/claim.ts'
import { survivesDeaths } from './suite/deaths.ts'
import { isOneOrderByDoubleClick } from './suite/double-click.ts'
import { worksInFrames } from './suite/frames.ts'
import { survivesKills } from './suite/kills.ts'
import { losesNothing } from './suite/losses.ts'
import { outwaitsTheNetwork } from './suite/network.ts'
import { worksWithout } from './suite/no-storage.ts'
import { worksOnPlainHttp } from './suite/plain-http.ts'
import { survivesReloads } from './suite/reload.ts'
import { keepsPeopleApart } from './suite/sign-out.ts'
import { asksForTokens } from './suite/tokens.ts'
import { isOneOrderInTwoTabs } from './suite/two-tabs.ts'
import { writesAhead } from './suite/writing.ts'

/** Where engines, or their drivers, differ. `docs/engines.md` says the same in words. */
export interface Differences {
  readonly kept: Kept
  /** Whether a page that waits for a synchronous request still gets its transactions done. */
  readonly writesOn: boolean
  /** Whether an attempt of a page that is being left may still arrive. */
  readonly triesOn: boolean
  readonly canGoOffline: boolean
  /** Whether it can be told, from outside, to let sites store nothing. */
  readonly canDeny: boolean
}

const RACES = process.env.LONG ? 100 : 20

/** The same tests in each engine, with one browser for all but a few; skipped where the engine is not installed. */
export function testNeutrally(
  engine: Engine,
  { kept, writesOn, triesOn, canGoOffline, canDeny }: Differences,
): void {
  describe.runIf(inject('engines')[engine])(engine, () => {
    const browser = oneBrowser(engine)
    const inIt = () => browser
    const shop = oneShop()

    losesNothing(browser, shop)
    isOneOrderByDoubleClick(browser, shop)
    isOneOrderInTwoTabs(browser, shop, RACES)
    survivesReloads(browser, shop, triesOn)
    const deaths = {
      'the browser is killed': async () => {
        await browser().kill()
        await browser().restart()
      },
    }
    survivesDeaths(browser, shop, deaths, writesOn)
    survivesKills(browser, shop)

    describe('a server of its own', () => {
      const lab = labIn(inIt)
      claimsInOneStep(lab)
      writesAhead(lab)
      comesBack(lab, kept)
      keepsPeopleApart(lab)
      worksOnPlainHttp(lab)
      outwaitsTheNetwork(lab, canGoOffline)
      bindsForms(lab)
    })

    describe('a server that lets every origin call it', () => {
      worksInFrames(labIn(inIt, { cors: true }))
    })

    describe('a server with one-time tokens', () => {
      const routes = { '/api/orders': { mechanisms: ['token'] } } as const
      asksForTokens(labIn(inIt, { server: { routes } }))
    })
  })

  for (const storage of canDeny ? (['private', 'denied'] as const) : (['private'] as const)) {
    describe.runIf(inject('engines')[engine])(engine, () => {
      worksWithout(
        storage,
        labIn(() => oneBrowser(engine, storage)),
      )
    })
  }
}
