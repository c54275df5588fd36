import { testNeutrally } from './neutral.ts'

testNeutrally('firefox', {
  // A page with a Web Lock is not kept, also if it lets go in `pagehide`; and the one by which others see it is one.
  kept: { atRest: false, inMidFlight: false, waiting: false },
  writesOn: true,
  triesOn: true,
  canGoOffline: true,
  canDeny: true,
})
