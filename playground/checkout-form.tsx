import type { FormEvent, ReactElement, ReactNode } from 'react'
import { useLayoutEffect, useRef } from 'react'
import type { Cart } from './cart.ts'
import { basketOf, toCart } from './cart.ts'
import type { ShopName } from './journal.ts'
import { useStored } from './stored.ts'

export interface CheckoutFormProps {
  readonly shop: ShopName
  readonly title: string
  /** The line of code that makes the difference. */
  readonly code: string
  readonly cart: number
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void
  readonly button: {
    readonly label: string
    /** Beside the label, and not read out: it would be heard every second. */
    readonly countdown?: string
    readonly busy: boolean
    readonly disabled: boolean
  }
  readonly status: Status
  /** What else can be done now. Its place is kept where there is nothing. */
  readonly aside: { readonly label: string; readonly run: () => void } | undefined
}

export interface Status {
  readonly tone: 'quiet' | 'good' | 'wait' | 'bad'
  readonly text: ReactNode
  /** A notice says it too, and a screen reader hears it there. */
  readonly isNoticed?: boolean
}

/** The checkout of both shops: what differs is what happens on submit. */
export function CheckoutForm(props: CheckoutFormProps): ReactElement {
  const { shop, title, code, cart, onSubmit, button, status, aside } = props
  const basket = basketOf(shop)
  const { typed, edition } = useStored(basket)
  const link = useRef<HTMLButtonElement>(null)

  // That button goes away, whoever pressed what, and the focus must not go with it. Looked at now: then it is gone already.
  const hasFocus = link.current !== null && link.current === document.activeElement
  useLayoutEffect(() => {
    if (!aside && hasFocus) link.current?.form?.querySelector('input')?.focus()
  })

  const field = (name: keyof Cart) => ({
    id: `${shop}-${name}`,
    name,
    defaultValue: typed[name],
    autoComplete: 'off',
  })

  return (
    <section className="card shop" data-shop={shop} aria-labelledby={`${shop}-title`}>
      <header>
        <h2 id={`${shop}-title`}>{title}</h2>
        <p>
          Cart <output name="cart">{cart}</output>
        </p>
        <code>{code}</code>
      </header>
      <form
        // Fields that keep what was typed begin anew with what somebody else has typed.
        key={edition}
        onSubmit={onSubmit}
        onInput={event =>
          basket.set({ ...basket.get(), typed: toCart(new FormData(event.currentTarget)) })
        }
      >
        <label htmlFor={`${shop}-address`}>Deliver to</label>
        <input type="text" {...field('address')} />
        <div className="pair">
          <div>
            <label htmlFor={`${shop}-item`}>Item</label>
            <input type="text" {...field('item')} required />
          </div>
          <div>
            <label htmlFor={`${shop}-amount`}>Amount, €</label>
            <input type="number" {...field('amount')} min={1} max={9_999} required />
          </div>
        </div>
        <button
          type="submit"
          className="primary"
          aria-busy={button.busy}
          aria-disabled={button.disabled}
        >
          {/* Another label is another node: centred text that grows would count as one that moves. */}
          <span key={`${button.label}${button.countdown}`}>
            {button.label}
            {button.countdown && <span aria-hidden="true"> {button.countdown}</span>}
          </span>
        </button>
        <p
          className="status"
          role="status"
          aria-live={status.isNoticed ? 'off' : undefined}
          data-tone={status.tone}
        >
          {status.text}
        </p>
        <button ref={link} type="button" className="link" hidden={!aside} onClick={aside?.run}>
          {aside?.label}
        </button>
      </form>
    </section>
  )
}

export function OrderedAs({ id }: { readonly id: string | undefined }): ReactElement {
  if (!id) return <>It is ordered.</>
  return (
    <>
      It is ordered, as <b>{id}</b>.
    </>
  )
}
