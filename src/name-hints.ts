/** A number that is so close to now was made of it. */
const DAY_MS = 86_400_000
/** More are not remembered: a hint needs no long memory. */
const MAX_REMEMBERED = 100

/** `Math.random()`. A UUID may well be the cart's own. */
const RANDOM = /0\.\d{8,}/

interface NameHints {
  /** What to tell the developer, if anything. `fingerprint`: equal for equal requests. */
  submitted(
    operation: string,
    address: string,
    fingerprint: string,
    now: number,
  ): string | undefined
  /** Its turn is over: whoever submits the same now may mean another one. */
  ended(operation: string): void
}

/** Looks at the names of operations. */
export function createNameHints(): NameHints {
  /** What is under way, by fingerprint. */
  const names = new Map<string, string>()
  const addresses = new Map<string, string>()
  return {
    submitted(operation, address, fingerprint, now) {
      const before = names.get(fingerprint)
      remember(names, fingerprint, operation)
      const known = addresses.get(operation)
      remember(addresses, operation, known ?? address)
      if (before !== undefined && before !== operation) {
        return `the same request was submitted as "${before}", and while that was under way as "${operation}". If it is one order it needs one name: ${ADVICE}`
      }
      if (madeOfNow(operation, now) || RANDOM.test(operation)) {
        return `the operation "${operation}" seems to be named by a random number or by the time. Such a name is new after every reload, and nothing is recognised: ${ADVICE}`
      }
      if (known !== undefined && known !== address) {
        return `the operation "${operation}" was submitted to ${known}, and now to ${address}. Two different things need two names, or the second is taken for a change of the first: ${ADVICE}`
      }
      return undefined
    },
    ended(operation) {
      for (const [fingerprint, name] of names) if (name === operation) names.delete(fingerprint)
    },
  }
}

export const ADVICE = 'name an operation by what it is about, such as "checkout:cart-42".'

function madeOfNow(operation: string, now: number): boolean {
  return (operation.match(/\d{10,13}/g) ?? []).some(digits => {
    const time = digits.length === 13 ? Number(digits) : Number(digits) * 1_000
    return Math.abs(time - now) < DAY_MS
  })
}

function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name)
  map.set(name, value)
  const [oldest] = map.keys()
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest)
}
