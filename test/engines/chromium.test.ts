import { testNeutrally } from './neutral.ts'

testNeutrally('chromium', {
  kept: { atRest: true, inMidFlight: true, waiting: true },
  canGoOffline: true,
  canDeny: false,
})
