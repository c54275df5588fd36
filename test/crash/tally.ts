/** Counts what was done, for the reader of the test's output. */
export class Tally {
  readonly #what: string
  readonly #outcomes = new Map<string, number>()
  #points = 0
  #runs = 0
  #violations = 0

  constructor(what: string) {
    this.#what = what
  }

  /** How often each ending came about. */
  get outcomes(): ReadonlyMap<string, number> {
    return this.#outcomes
  }

  point(): void {
    this.#points += 1
  }

  run(ended: string, violations: readonly unknown[]): void {
    this.#runs += 1
    this.#violations += violations.length
    this.#outcomes.set(ended, (this.#outcomes.get(ended) ?? 0) + 1)
  }

  print(): void {
    const outcomes = [...this.#outcomes].sort((a, b) => b[1] - a[1])
    const ended = outcomes.map(([outcome, count]) => `${count} ${outcome}`).join(', ')
    const points = this.#points > 0 ? `${this.#points} points, ` : ''
    console.log(
      `${this.#what}: ${points}${this.#runs} runs, ${this.#violations} violations; ${ended}`,
    )
  }
}
