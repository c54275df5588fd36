import { survivesDeaths } from '../engines/suite/deaths.ts'
import { survivesReloads } from '../engines/suite/reload.ts'
import { oneChromium } from './driver/one-chromium.ts'
import { oneShop } from './shop.ts'

const chromium = oneChromium()
const shop = oneShop()

survivesReloads(chromium, shop, false)
survivesDeaths(chromium, shop, {
  'its process crashes': tab => tab.crash(),
  'the browser is killed': async () => {
    await chromium().kill()
    await chromium().restart()
  },
})
