import type { ReactElement } from 'react'
import type { DedupeRow } from 'sendonce/testing'
import { KeyTag } from './key-tag.tsx'
import { useServer } from './mock/view.ts'
import { times } from './words.ts'

const STATUS_WORDS: { readonly [status in DedupeRow['status']]: string } = {
  processing: 'working on it',
  done: 'done',
  failed: 'not accepted',
}

/** How the server knows an order again: one row for each key. */
export function KeyTable(): ReactElement {
  const { keys, deliveries } = useServer()
  return (
    <section className="card keys" aria-labelledby="keys-title">
      <h2 id="keys-title">How it knows an order again</h2>
      <p className="explained">
        One row for each key. Whoever comes with a key that is done gets the first answer again, and
        nothing is ordered.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and not every browser lets the keyboard in by itself */}
      <section className="scroll" tabIndex={0} aria-label="Keys, newest first">
        <table>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">State</th>
              <th scope="col">Its answer</th>
              <th scope="col">Seen</th>
            </tr>
          </thead>
          <tbody>
            {keys.toReversed().map(row => (
              <tr key={row.key}>
                <td>
                  <KeyTag value={row.key} />
                </td>
                <td>{STATUS_WORDS[row.status]}</td>
                <td>{answerOf(row)}</td>
                <td>{times(deliveries.filter(({ key }) => key === row.key).length)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {keys.length === 0 && (
          <p className="empty">No keys yet. Plain fetch sends none, so it never has a row here.</p>
        )}
      </section>
    </section>
  )
}

function answerOf({ answer }: DedupeRow): string {
  if (!answer) return 'none yet'
  const { id, detail } = JSON.parse(answer.body) as { readonly id?: string; detail?: string }
  return id ?? detail ?? ''
}
