import { losesNothing } from '../engines/suite/losses.ts'
import { oneChromium } from './driver/one-chromium.ts'
import { oneShop } from './shop.ts'

losesNothing(oneChromium(), oneShop())
