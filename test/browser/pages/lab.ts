import ky from 'ky'
import * as sendonce from 'sendonce'

declare global {
  interface Window {
    sendonce: typeof sendonce
    ky: typeof ky
  }
}

/** The package within reach of a test: `tab.evaluate(() => window.sendonce.createClient(…))`. */
window.sendonce = sendonce
window.ky = ky
