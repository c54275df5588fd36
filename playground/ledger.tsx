import type { ReactElement } from 'react'
import { useMemo } from 'react'
import type { Order } from 'sendonce/testing'
import { euros } from './cart.ts'
import type { ShopName } from './journal.ts'
import { useServer } from './mock/view.ts'
import { MAX_ROWS, ToTheEnd } from './to-the-end.tsx'
import { cartOf } from './words.ts'

const SHOPS = [
  ['sendonce', 'with sendonce'],
  ['plain', 'with plain fetch'],
] as const satisfies readonly (readonly [ShopName, string])[]

/** What was really ordered and charged, whatever the pages say. */
export function Ledger({ onReset }: { readonly onReset: () => void }): ReactElement {
  const { orders } = useServer()
  const repeats = useMemo(() => repeatsOf(orders), [orders])
  return (
    <section className="card ledger" aria-labelledby="ledger-title">
      <header className="row">
        <h2 id="ledger-title">The server</h2>
        <button type="button" className="link" onClick={onReset}>
          Start over
        </button>
      </header>
      <div className="totals">
        {SHOPS.map(([shop, name]) => (
          <Total
            key={shop}
            shop={shop}
            name={name}
            orders={orders.filter(order => order.shop === shop)}
            repeats={repeats}
          />
        ))}
      </div>
      <ToTheEnd of={orders.length} label="Orders, oldest first">
        <table>
          <thead>
            <tr>
              <th scope="col">Order</th>
              <th scope="col">Of</th>
              <th scope="col">Charged</th>
            </tr>
          </thead>
          <tbody>
            {orders.slice(-MAX_ROWS).map(order => (
              <tr key={order.id} data-again={repeats.has(order)}>
                <td>{order.id}</td>
                <td>
                  {cartOf(order.operation)}
                  {repeats.has(order) && <span className="again"> again</span>}{' '}
                  <span className="from">
                    {order.shop === 'plain' ? 'plain fetch' : 'sendonce'}
                  </span>
                </td>
                <td>{euros(order.amount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {orders.length === 0 && <p className="empty">No orders yet.</p>}
      </ToTheEnd>
    </section>
  )
}

function Total(props: {
  readonly shop: ShopName
  readonly name: string
  readonly orders: readonly Order[]
  readonly repeats: ReadonlySet<Order>
}): ReactElement {
  const { shop, name, orders, repeats } = props
  const again = orders.filter(order => repeats.has(order)).length
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

/** Those whose cart was ordered in the same shop before. */
function repeatsOf(orders: readonly Order[]): ReadonlySet<Order> {
  const carts = new Set<string>()
  return new Set(
    orders.filter(({ shop, operation }) => {
      const cart = `${shop} ${operation}`
      return carts.has(cart) || !carts.add(cart)
    }),
  )
}
