import { testNeutrally } from './neutral.ts'

testNeutrally('webkit', {
  kept: { atRest: true, inMidFlight: true, waiting: true },
  writesOn: false,
  triesOn: false,
  canGoOffline: false,
  canDeny: true,
})
