import { isOneOrderInTwoTabs } from '../engines/suite/two-tabs.ts'
import { oneChromium } from './driver/one-chromium.ts'
import { oneShop } from './shop.ts'

isOneOrderInTwoTabs(oneChromium(), oneShop(), 100)
