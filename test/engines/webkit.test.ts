import { testNeutrally } from './neutral.ts'

testNeutrally('webkit', {
  kept: { atRest: true, inMidFlight: true, waiting: true },
  canGoOffline: false,
  canDeny: true,
})
