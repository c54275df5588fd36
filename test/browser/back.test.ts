import { comesBack } from '../engines/suite/back.ts'
import { oneLab } from './lab.ts'

comesBack(oneLab(), { atRest: true, inMidFlight: true, waiting: true })
