import type { Answer, Mechanism, Order } from './mechanism.ts'
import {
  created,
  found,
  haveEffect,
  MAX_AMOUNT,
  missing,
  notFound,
  refused,
  transaction,
} from './mechanism.ts'

interface Numbered extends Order {
  readonly order_no: string
  readonly person: string
  readonly id: string
}

/**
 * The order number has a unique index: who comes second gets the order that exists, in the shape of the first answer, if
 * it is the same order by the same person. With `?duplicates=reject` he is only told that it exists.
 */
export const businessNumber: Mechanism = async (asked, { pool, work }) => {
  const { person, query, body } = asked
  const { orderNo, item, amount } = JSON.parse(body) as Order & { orderNo?: string }
  if (!orderNo) return missing('orderNo')
  if (amount > MAX_AMOUNT) return refused()
  return transaction(pool, async client => {
    const inserted = await client.query<Numbered>(
      `INSERT INTO numbered_orders (order_no, person, item, amount) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING RETURNING *`,
      [orderNo, person, item, amount],
    )
    const [order] = inserted.rows
    if (order) {
      await haveEffect(client, { ...asked, key: orderNo })
      await work()
      return created(shown(order))
    }
    const existing = await client.query<Numbered>(
      'SELECT * FROM numbered_orders WHERE order_no = $1',
      [orderNo],
    )
    const [first] = existing.rows
    if (query.get('duplicates') === 'reject') return exists()
    const same = first?.person === person && first.item === item && first.amount === amount
    return first && same ? found(shown(first)) : taken()
  })
}

export const numberedOrder: Mechanism = async ({ person, id }, { pool }) => {
  const { rows } = await pool.query<Numbered>(
    'SELECT * FROM numbered_orders WHERE order_no = $1 AND person = $2',
    [id, person],
  )
  return rows[0] ? found(shown(rows[0])) : notFound()
}

const shown = ({ id, order_no, item, amount }: Numbered) => ({
  id: Number(id),
  orderNo: order_no,
  item,
  amount,
})

/** It may be one's own. */
const exists = (): Answer => ({
  status: 409,
  json: { code: 'order-exists', title: 'There is an order of this number' },
})

/** It is another's, or another order. */
const taken = (): Answer => ({
  status: 409,
  json: { code: 'number-taken', title: 'This number belongs to another order' },
})
