import { renderToString } from 'react-dom/server'
import { createClient } from 'sendonce'
import { SendonceProvider, useIdempotentSubmit } from 'sendonce/react'

// In a module that a server loads too: nothing is opened before something is sent.
const api = createClient({ scope: () => null })

function Pay() {
  const payment = useIdempotentSubmit<{ amount: number }>({
    operation: 'payment',
    request: json => ({ url: '/api/payments', json }),
    resume: 'auto',
  })
  return (
    <button type="button" onClick={() => payment.submit({ amount: 42 })} {...payment.submitProps}>
      {payment.snapshot.state === 'idle' ? 'Pay' : payment.message}
    </button>
  )
}

export const html: string = renderToString(
  <SendonceProvider client={api}>
    <Pay />
  </SendonceProvider>,
)
