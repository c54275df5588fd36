/**
 * Bytes that are not shared between threads, which is what `fetch` and `crypto` take. Written without a type argument,
 * which `Uint8Array` has only since TypeScript 5.7: apps with an older one read this too.
 */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>
