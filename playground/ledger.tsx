import type { ReactElement } from 'react'
import type { Order } from 'sendonce/testing'
import { euros } from './cart.ts'
import type { ShopName } from './journal.ts'
import { useServer } from './mock/view.ts'
import { cartOf } from './words.ts'

const SHOPS = [
  ['sendonce', 'with sendonce'],
  ['plain', 'with plain fetch'],
] as const satisfies readonly (readonly [ShopName, string])[]

/** What was really ordered and charged, whatever the pages say. */
export function Ledger({ onReset }: { readonly onReset: () => void }): ReactElement {
  const { orders } = useServer()
  return (
    <section className="card ledger" aria-labelledby="ledger-title">
      <header className="row">
        <h2 id="ledger-title">What the server has</h2>
        <button type="button" className="link" onClick={onReset}>
          Start over
        </button>
      </header>
      <div className="totals">
        {SHOPS.map(([shop, name]) => (
          <Total key={shop} shop={shop} name={name} orders={orders.filter(isOf(shop))} />
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and not every browser lets the keyboard in by itself */}
      <section className="scroll" tabIndex={0} aria-label="Orders, newest first">
        <table>
          <thead>
            <tr>
              <th scope="col">Order</th>
              <th scope="col">Of</th>
              <th scope="col">Shop</th>
              <th scope="col">Charged</th>
            </tr>
          </thead>
          <tbody>
            {orders.toReversed().map(order => (
              <tr key={order.id} data-again={isAgain(order, orders)}>
                <td>{order.id}</td>
                <td>
                  {cartOf(order.operation)}
                  {isAgain(order, orders) && <span className="again"> again</span>}
                </td>
                <td>{order.shop === 'plain' ? 'plain fetch' : 'sendonce'}</td>
                <td>{euros(order.amount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {orders.length === 0 && <p className="empty">No orders yet.</p>}
      </section>
    </section>
  )
}

function Total(props: {
  readonly shop: ShopName
  readonly name: string
  readonly orders: readonly Order[]
}): ReactElement {
  const { shop, name, orders } = props
  const again = orders.filter(order => isAgain(order, orders)).length
  const charged = orders.reduce((sum, order) => sum + order.amount, 0)
  const verdict = again > 0 ? 'too-many' : orders.length > 0 ? 'right' : 'none'
  return (
    <div className="total" data-shop={shop} data-verdict={verdict}>
      <p className="name">{name}</p>
      <p>
        <b className="count">{orders.length}</b> {orders.length === 1 ? 'order' : 'orders'}
      </p>
      <p className="charged">
        {euros(charged)} charged
        {again > 0 && <span className="pill">{again} too many</span>}
      </p>
    </div>
  )
}

function isOf(shop: ShopName): (order: Order) => boolean {
  return order => order.shop === shop
}

/** The same cart of the same shop was ordered before. */
function isAgain(order: Order, orders: readonly Order[]): boolean {
  const first = orders.find(
    other => other.shop === order.shop && other.operation === order.operation,
  )
  return first !== undefined && first.id !== order.id
}
