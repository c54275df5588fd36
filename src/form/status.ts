/** Where a form says what is known. */
export interface Status {
  /** A screen reader hears each sentence once until {@link begin}, however often it is shown again. */
  say(sentence: string): void
  /** Somebody has done something: what is said from now on is heard again. */
  begin(): void
  /** The region is again as it was. */
  stop(): void
}

/** The region that the page has, or one that is made. */
export function statusOf(form: HTMLFormElement, given: HTMLElement | undefined): Status {
  const region = given ?? document.createElement('p')
  if (!region.hasAttribute('role')) region.setAttribute('role', 'status')
  // What is within something busy (the form) is not read out, unless it says that it is not.
  region.setAttribute('aria-busy', 'false')
  if (!given) form.append(region)
  const live = region.getAttribute('aria-live') ?? 'polite'
  const heard = new Set<string>()
  let shown = ''
  return {
    say(sentence) {
      if (sentence === shown) return
      shown = sentence
      region.setAttribute('aria-live', heard.has(sentence) ? 'off' : live)
      heard.add(sentence)
      region.textContent = sentence
    },
    begin: () => heard.clear(),
    stop() {
      if (!given) return region.remove()
      region.setAttribute('aria-live', live)
      region.textContent = ''
    },
  }
}
