import type { ReactElement } from 'react'
import { useState } from 'react'
import type { UnsettledOperation } from 'sendonce'
import { SendonceProvider } from 'sendonce/react'
import { api } from './api.ts'
import { Cases } from './cases.tsx'
import { Faults } from './faults.tsx'
import { InYourApp } from './in-your-app.tsx'
import { KeyColours } from './key-tag.tsx'
import { Ledger } from './ledger.tsx'
import { MechanismTable } from './mechanism-table.tsx'
import { Notices } from './notices.tsx'
import { PlainShop } from './plain-shop.tsx'
import { Shop } from './shop.tsx'
import { startOver } from './start-over.ts'
import { Wire } from './wire.tsx'

/** The playground. `unsettled`: what was found before the first paint. */
export function App(props: { readonly unsettled: readonly UnsettledOperation[] }): ReactElement {
  const [open, setOpen] = useState(props.unsettled)
  return (
    <SendonceProvider client={api}>
      <KeyColours>
        <main>
          <Notices
            found={open}
            onClose={closed => setOpen(open.filter(each => !closed.includes(each)))}
          />
          <header className="headline">
            <h1>
              One order. <span>However often you send it.</span>
            </h1>
            <p>Two shops, the same form, the same bad network.</p>
          </header>
          <Cases />
          <Faults />
          <div className="board">
            <div className="shops">
              <Shop noticed={open.map(({ operation }) => operation)} />
              <PlainShop />
            </div>
            <Wire />
            <Ledger onReset={() => void startOver()} />
            <MechanismTable />
          </div>
          <InYourApp />
        </main>
      </KeyColours>
    </SendonceProvider>
  )
}
