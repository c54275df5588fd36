import { readFileSync } from 'node:fs'

const at = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The texts that a union of the built declarations allows, sorted. */
export function unionOf(file: string, name: string): string[] {
  const [, union = ''] = at(file).match(new RegExp(`type ${name} =(.*?);`, 's')) ?? []
  return textsOf(union)
}

/** The texts that a member of that name has in any of the interfaces of a file, sorted. */
export function valuesOf(file: string, member: string): string[] {
  return textsOf([...at(file).matchAll(new RegExp(`readonly ${member}: (.*);`, 'g'))].join('\n'))
}

/** The texts that are written in a type, each once, sorted. */
export const textsOf = (type: string): string[] =>
  [...new Set([...type.matchAll(/'(.*?)'/g)].map(([, text = '']) => text))].sort()
