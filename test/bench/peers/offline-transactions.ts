import { createCollection, localOnlyCollectionOptions, safeRandomUUID } from '@tanstack/db'
import { startOfflineExecutor } from '@tanstack/offline-transactions'
import type { Order } from './contract.ts'
import { ORDERS, plainShop } from './page.ts'

type Row = Order & { readonly id: string }

/** https://tanstack.com/db/latest/docs/guides/offline-transactions: its key goes where the server looks for it. */
const orders = createCollection(
  localOnlyCollectionOptions({ id: 'orders', getKey: (row: Row) => row.id }),
)

const executor = startOfflineExecutor({
  collections: { orders },
  mutationFns: {
    async placeOrder({ transaction, idempotencyKey }) {
      const response = await fetch(ORDERS, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
        body: JSON.stringify(transaction.mutations[0]?.modified),
      })
      if (!response.ok) throw new Error(`HTTP ${response.status}`)
    },
  },
})
await executor.waitForInit()

plainShop(async order => {
  const transaction = executor.createOfflineTransaction({
    mutationFnName: 'placeOrder',
    autoCommit: false,
  })
  transaction.mutate(() => orders.insert({ ...order, id: safeRandomUUID() }))
  await transaction.commit()
})
