import { testNeutrally } from './neutral.ts'

testNeutrally('chromium', {
  kept: { atRest: true, inMidFlight: true, waiting: true },
  writesOn: false,
  triesOn: false,
  canGoOffline: true,
  canDeny: false,
})
