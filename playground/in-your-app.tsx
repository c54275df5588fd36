import type { ReactElement } from 'react'
import { useState } from 'react'
import type { Mechanism } from './mechanisms.ts'
import { mechanismChosen, mechanismOf } from './mechanisms.ts'
import { useStored } from './stored.ts'

/** In pieces: a line that is too long is broken between them. */
function codeOf({ code, path }: Mechanism): readonly string[] {
  const profile = code && `, profile: ${code}`
  const url = path.replace(':id', 'cart-42')
  return [
    `createClient({ scope: userId${profile} })`,
    `.submit('checkout:cart-42', `,
    `{ url: '${url}', `,
    'json: cart })',
  ]
}

/** Everything above, in one line. */
export function InYourApp(): ReactElement {
  const pieces = codeOf(mechanismOf(useStored(mechanismChosen)))
  const code = pieces.join('')
  const [copied, setCopied] = useState('')
  return (
    <section className="card in-your-app" aria-labelledby="in-your-app-title">
      <h2 id="in-your-app-title">The same in your app</h2>
      <pre>
        <code>
          {pieces.map(piece => (
            <span key={piece}>{piece}</span>
          ))}
        </code>
      </pre>
      <button
        type="button"
        className="link"
        onClick={() => {
          navigator.clipboard.writeText(code).then(
            () => setCopied(code),
            () => {},
          )
        }}
      >
        {copied === code ? 'Copied' : 'Copy'}
      </button>
    </section>
  )
}
