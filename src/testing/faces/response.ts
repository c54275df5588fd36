import type { Answer, Ending } from '../exchange.ts'

/** A `Response` that ends as it should; an error response where the connection broke. What hangs breaks when `released`. */
export async function responseOf(
  ending: Ending,
  released: Promise<void>,
  signal: AbortSignal,
): Promise<Response> {
  switch (ending.is) {
    case 'answer':
      return new Response(ending.answer.body || null, init(ending.answer))
    case 'cut':
      return halfOf(ending.answer, async () => new TypeError('terminated'))
    case 'stall':
      return halfOf(ending.answer, () =>
        Promise.race([aborted(signal), released.then(() => new TypeError('terminated'))]),
      )
    case 'hang':
      await released
      return Response.error()
    default:
      return Response.error()
  }
}

/** Resolves with the reason when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise(resolve => {
    if (signal.aborted) resolve(signal.reason)
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true })
  })
}

/** Half of the body, and then the error that `end` resolves with. */
function halfOf(answer: Answer, end: () => Promise<unknown>): Response {
  const bytes = new TextEncoder().encode(answer.body)
  let sent = false
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sent) return controller.error(await end())
        sent = true
        controller.enqueue(bytes.subarray(0, bytes.length >> 1))
      },
    },
    { highWaterMark: 0 },
  )
  const { status, headers } = init(answer)
  return new Response(body, {
    status,
    headers: { ...headers, 'content-length': String(bytes.length) },
  })
}

function init({ status, headers }: Answer): { status: number; headers: Record<string, string> } {
  return { status, headers: { ...headers } }
}
