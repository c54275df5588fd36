import type { ReactElement } from 'react'
import { useState } from 'react'
import type { UnsettledOperation } from 'sendonce'
import { SendonceProvider } from 'sendonce/react'
import { api } from './api.ts'
import { Faults } from './faults.tsx'
import { useJournal } from './journal.ts'
import { KeyTable } from './key-table.tsx'
import { KeyColours, keyColours } from './key-tag.tsx'
import { Ledger } from './ledger.tsx'
import { Notice } from './notice.tsx'
import { PlainShop } from './plain-shop.tsx'
import { Shop } from './shop.tsx'
import { startOver } from './start-over.ts'
import { Wire } from './wire.tsx'

/** The playground. `unsettled`: what was found before the first paint. */
export function App(props: { readonly unsettled: readonly UnsettledOperation[] }): ReactElement {
  const [notices, setNotices] = useState(props.unsettled)
  const journal = useJournal()
  return (
    <SendonceProvider client={api}>
      <KeyColours value={keyColours(journal)}>
        <main>
          {notices.map(found => (
            <Notice
              key={found.operation}
              found={found}
              onClose={() => setNotices(notices.filter(other => other !== found))}
            />
          ))}
          <header className="headline">
            <h1>
              One order. <span>However often you send it.</span>
            </h1>
            <p>
              Two shops, the same form, the same bad network. Order in both, reload in the middle,
              order again.
            </p>
          </header>
          <Faults />
          <div className="board">
            <div className="shops">
              <Shop />
              <PlainShop />
            </div>
            <Ledger onReset={() => void startOver()} />
            <Wire journal={journal} />
            <KeyTable />
          </div>
        </main>
      </KeyColours>
    </SendonceProvider>
  )
}
