/** Counts what was done, for the reader of the test's output. */
export class Tally {
  readonly #what: string
  readonly #outcomes = new Map<string, number>()
  #points = 0
  #runs = 0

  constructor(what: string) {
    this.#what = what
  }

  point(): void {
    this.#points += 1
  }

  run(ended: string): void {
    this.#runs += 1
    this.#outcomes.set(ended, (this.#outcomes.get(ended) ?? 0) + 1)
  }

  print(violations = 0): void {
    const outcomes = [...this.#outcomes].sort((a, b) => b[1] - a[1])
    const ended = outcomes.map(([outcome, count]) => `${count} ${outcome}`).join(', ')
    const points = this.#points > 0 ? `${this.#points} points, ` : ''
    console.log(`${this.#what}: ${points}${this.#runs} runs, ${violations} violations; ${ended}`)
  }
}
