/** What must hold after every step of every run, whoever is killed, frozen or lied to. */
export type Invariant =
  /** The server executes no operation twice, by whatever it knows it: a key, a number, one token or several. */
  | 'one-effect'
  /** No request leaves before the record that names its key is committed. */
  | 'write-ahead'
  /**
   * The token that is sent is the one in the committed record. One that was sent gives way to another only where it is
   * known that nothing came of it, or where nothing can come of it any more.
   */
  | 'one-token'
  /** Every attempt of a key carries the same key, headers and bytes to the same address; with another token, that too. */
  | 'same-bytes'
  /** A new key only after settlement or discard, or where nothing was executed; never for a page that did not know. */
  | 'key-rotation'
  /** What was sent and is not settled is in the store. */
  | 'no-record-lost'
  /** A success stays one, a refusal too, unless its key is to be kept and a page that knew submits again. */
  | 'settled-stays'
  /** Nothing is sent for a key that is settled or given up. */
  | 'nothing-after-the-end'
  /** Told and stored: "succeeded" is in the ledger, "refused" and "paused" are not, "nothing was sent" was not. */
  | 'truth'
  /** Every call ends, and what is not settled is seen as unknown or paused. */
  | 'ends'

export interface Violation {
  readonly invariant: Invariant
  readonly because: string
}
