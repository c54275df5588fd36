import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles/base.css'
import './styles/cases.css'
import './styles/faults.css'
import './styles/in-your-app.css'
import './styles/notice.css'
import './styles/shop.css'
import './styles/tables.css'
import './styles/wire.css'
import { api } from './api.ts'
import { App } from './app.tsx'
import { beginCases } from './case.ts'
import { beginJournal } from './journal.ts'
import { beginFaults } from './mock/faults.ts'
import { look, watchServer } from './mock/view.ts'
import { startWorker } from './mock/worker.ts'
import { goOn } from './play.ts'
import { followStartOver } from './start-over.ts'

await startWorker()
beginJournal()
beginFaults()
watchServer()
followStartOver()
await beginCases()
const [found] = await Promise.all([api.unsettled(), look()])
// What another tab is at is not for this one to ask about.
const open = found.filter(({ snapshot: { state } }) => state === 'unknown' || state === 'paused')

const root = document.getElementById('playground')
if (!root) throw new Error('index.html has no element #playground.')
// Only now: what was found unsettled is there at the first paint, and moves nothing.
createRoot(root).render(
  <StrictMode>
    <App unsettled={open} />
  </StrictMode>,
)
// When the buttons are there.
requestAnimationFrame(() => void goOn())
