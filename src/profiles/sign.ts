import type { Rule, Verdict } from './profile.ts'

/** How an answer of a server is known: by its status, headers and body. All conditions that are given must hold. */
export type Sign = Omit<Rule, 'then'>

/** One or several: any of them is enough. */
export type Signs = Sign | readonly Sign[]

/** Every status of a success. */
export const SUCCESSFUL = { from: 200, to: 299 } as const

/** Rules that give every answer with one of these signs the same meaning. */
export const rulesFor = (signs: Signs, then: Verdict): Rule[] =>
  [signs].flat().map(sign => ({ ...sign, then }))
