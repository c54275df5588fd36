import type { ReactElement } from 'react'
import { KeyTag } from './key-tag.tsx'
import type { Row } from './mechanism-rows.ts'
import { COLUMNS, rowsOf } from './mechanism-rows.ts'
import { mechanismChosen, mechanismOf } from './mechanisms.ts'
import { useServer } from './mock/view.ts'
import { useStored } from './stored.ts'
import { MAX_ROWS, ToTheEnd } from './to-the-end.tsx'

/** How the server knows an order again: the table behind the mechanism, row by row. */
export function MechanismTable(): ReactElement {
  const mechanism = mechanismOf(useStored(mechanismChosen))
  const { name, says } = mechanism
  const rows = rowsOf(name, useServer())
  return (
    <section className="card keys" aria-labelledby="keys-title">
      <h2 id="keys-title">How it knows an order again</h2>
      <p className="explained" key={name}>
        {says}
      </p>
      <ToTheEnd of={rows.length} label="Rows, oldest first">
        <table>
          <thead>
            <tr>
              {COLUMNS[name].map(column => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(-MAX_ROWS).map(row => (
              <RowView key={row.id} row={row} />
            ))}
          </tbody>
        </table>
        {rows.length === 0 && (
          <p className="empty">
            No rows yet. Plain fetch never has one: it says nothing to be known by.
          </p>
        )}
      </ToTheEnd>
    </section>
  )
}

function RowView({ row: { tag, cells } }: { readonly row: Row }): ReactElement {
  return (
    <tr>
      <td>
        <KeyTag value={tag} />
      </td>
      {cells.map((cell, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column
        <td key={index}>{cell}</td>
      ))}
    </tr>
  )
}
