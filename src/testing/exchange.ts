/** A request as it arrives: what can be known before its body is read. */
export interface Head {
  /** In capitals. */
  readonly method: string
  /** Absolute. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The connection carried another request before. Browsers resend by themselves when such a one breaks. */
  readonly reused: boolean
}

/** What the server says, when it says something. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number
  /** Names as they are sent. */
  readonly headers: Readonly<Record<string, string>>
  /** As text. */
  readonly body: string
}

/** How a delivery ends, as whoever asked sees it. `answer`: what is said, as far as it gets. */
export type Ending =
  | { readonly is: 'answer'; readonly answer: Answer }
  /** Headers and half of the body, then the connection breaks. */
  | { readonly is: 'cut'; readonly answer: Answer }
  /** Headers and half of the body, then nothing more. */
  | { readonly is: 'stall'; readonly answer: Answer }
  /** The page may not read it: no status, no headers, no body. */
  | { readonly is: 'opaque'; readonly answer: Answer }
  /** The connection breaks without an answer. */
  | { readonly is: 'lost' }
  /** As `lost`, on a connection that was used before: a browser sends the request again by itself. */
  | { readonly is: 'reset' }
  /** No answer, and the connection stays open. */
  | { readonly is: 'hang' }

/** What to do next: end it, or come back for the answer of `delivery` after `ms` milliseconds. */
export type Step = Ending | { readonly is: 'wait'; readonly ms: number; readonly delivery: number }

/** What was decided from the head alone: read the body of `delivery` (undefined: of no order), or end it before. */
export type Admitted =
  | { readonly is: 'read-body'; readonly delivery: number | undefined }
  | { readonly is: 'lost' }

/** The server as its faces see it; write another face on these. */
export interface Backend {
  /** The paths that it answers, `:name` for a part that varies. */
  readonly paths: readonly string[]
  /** Whether it answers this path. */
  serves(pathname: string): boolean
  /** A request has arrived: chooses its fault and writes it into the log. */
  admit(head: Head): Promise<Admitted>
  /** Looks and takes, in one transaction. */
  handle(head: Head, delivery: number | undefined, body: Uint8Array): Promise<Step>
  /** Comes back for the answer of work that took time. */
  collect(delivery: number): Promise<Step>
  /** Resolves after so many milliseconds of the server's clock. */
  wait(ms: number): Promise<void>
  /** Resolves when the server next lets go of what hangs. Take it when a request arrives, before it can hang. */
  readonly released: Promise<void>
}

/** Takes one delivery through the server, from its head to its ending. */
export async function exchange(
  backend: Backend,
  head: Head,
  readBody: () => Promise<Uint8Array>,
): Promise<Ending> {
  const admitted = await backend.admit(head)
  if (admitted.is === 'lost') return admitted
  let step = await backend.handle(head, admitted.delivery, await readBody())
  while (step.is === 'wait') {
    await backend.wait(step.ms)
    step = await backend.collect(step.delivery)
  }
  return step
}
