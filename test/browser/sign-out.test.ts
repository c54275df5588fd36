import { keepsPeopleApart } from '../engines/suite/sign-out.ts'
import { oneLab } from './lab.ts'

keepsPeopleApart(oneLab())
