import type { ReactElement, ReactNode } from 'react'
import { useEffect, useRef } from 'react'

/** Of a long list the newest are drawn. */
export const MAX_ROWS = 40

/** A list that grows at its end, and is shown from there: what is there does not move when something comes. */
export function ToTheEnd(props: {
  /** How many there are. */
  readonly of: number
  readonly label: string
  readonly children: ReactNode
}): ReactElement {
  const { of, label, children } = props
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (of > 0) section.current?.scrollTo({ top: section.current.scrollHeight })
  }, [of])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and not every browser lets the keyboard in by itself
    <section className="scroll" ref={section} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
