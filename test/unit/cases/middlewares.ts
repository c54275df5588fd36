import { dedupeTable } from '../../../src/profiles/dedupe-table.ts'
import { idempotencyKey } from '../../../src/profiles/idempotency-key.ts'
import type { Case } from './table.ts'
import { casesOf } from './table.ts'

const KEY = idempotencyKey()

/** What people deploy in front of their handlers; all under `idempotencyKey()` but where said. */
export const MIDDLEWARES: readonly Case[] = [
  ...casesOf(
    'node-idempotency',
    KEY,
    `
    answer                                                                    | verdict          | first                       | later                       | source
    201 {"id":1} · Idempotent-Replayed: true                                  | success replayed | succeeded                   | succeeded                   | mahendraHegde/node-idempotency 622b33f, run
    409 {"code":"REQUEST_IN_PROGRESS"} · Retry-After: 1                       | in-progress      | waiting in-progress 1000 ms | waiting in-progress 1000 ms | mahendraHegde/node-idempotency 622b33f, run
    409 {"code":"REQUEST_IN_PROGRESS"} · Idempotent-Replayed: true            | in-progress      | waiting in-progress         | waiting in-progress         | mahendraHegde/node-idempotency 622b33f, run: a marker on what was no replay
    422 {"message":"Idempotency-Key was reused with a different fingerprint"} | mismatch         | unknown key-mismatch        | unknown key-mismatch        | mahendraHegde/node-idempotency 622b33f, run
    409 · HTML                                                                | conflict         | waiting in-progress         | waiting in-progress         | mahendraHegde/node-idempotency 622b33f, run: error pages of express
    422 · HTML                                                                | failure front    | refused                     | unknown refused-later       | mahendraHegde/node-idempotency 622b33f, run: error pages of express
    503 · HTML · Idempotent-Replayed: true                                    | unknown          | waiting backoff             | waiting backoff             | mahendraHegde/node-idempotency 622b33f, run: JSON comes back as HTML
    204 · Idempotent-Replayed: true                                           | success replayed | succeeded                   | succeeded                   | mahendraHegde/node-idempotency 622b33f, run: its handler ran twice
    `,
  ),
  ...casesOf(
    'hono-idempotency',
    KEY,
    `
    answer                                                                                               | verdict          | first                       | later                       | source
    200 {"id":1} · Idempotency-Replayed: true                                                            | success replayed | succeeded                   | succeeded                   | paveg/hono-idempotency 6d6a075, run
    409 {"code":"CONFLICT","title":"A request is outstanding for this idempotency key"} · Retry-After: 1 | in-progress      | waiting in-progress 1000 ms | waiting in-progress 1000 ms | paveg/hono-idempotency 6d6a075, run
    422 {"code":"FINGERPRINT_MISMATCH","title":"Idempotency-Key is already used"}                        | mismatch         | unknown key-mismatch        | unknown key-mismatch        | paveg/hono-idempotency 6d6a075, run
    500 {"error":"boom"}                                                                                 | unknown          | waiting backoff             | waiting backoff             | paveg/hono-idempotency 6d6a075, run: the key was deleted, it executes again
    200 {"id":1} · redirected                                                                            | unknown          | waiting backoff             | waiting backoff             | paveg/hono-idempotency 6d6a075, run: a 303 is not stored
    `,
  ),
  ...casesOf(
    'express-idempotency',
    KEY,
    `
    answer                                                                        | verdict       | first                | later                 | source
    201 {"id":1} · Idempotency-Key: k                                             | success       | succeeded            | succeeded             | VilledeMontreal/express-idempotency e1e429e, run: echoes the key
    417 {"message":"Idempotency key was used with a different request: mismatch"} | mismatch      | unknown key-mismatch | unknown key-mismatch  | VilledeMontreal/express-idempotency e1e429e, run
    417 · HTML                                                                    | failure front | refused              | unknown refused-later | VilledeMontreal/express-idempotency e1e429e, run: error pages of express
    409 · HTML                                                                    | conflict      | waiting in-progress  | waiting in-progress   | VilledeMontreal/express-idempotency e1e429e, run: error pages of express
    500 · HTML                                                                    | unknown       | waiting backoff      | waiting backoff       | VilledeMontreal/express-idempotency e1e429e, run: executes again
    `,
  ),
  ...casesOf(
    'universal-idempotent-request',
    KEY,
    `
    answer                                                            | verdict        | first                | later                | source
    409 {"title":"A request is outstanding for this Idempotency-Key"} | in-progress    | waiting in-progress  | waiting in-progress  | sushichan044/universal-idempotent-request 23f0c20
    422 {"title":"Idempotency-Key is already used"}                   | mismatch       | unknown key-mismatch | unknown key-mismatch | sushichan044/universal-idempotent-request 23f0c20
    400 {"title":"Idempotency-Key is missing"}                        | failure origin | refused              | refused              | sushichan044/universal-idempotent-request 23f0c20: of an invalid key too
    `,
  ),
  ...casesOf(
    'nestarc',
    KEY,
    `
    answer                                                                                                          | verdict          | first                | later                | source
    201 {"id":1} · Idempotency-Replayed: true · Idempotency-Status: replayed                                        | success replayed | succeeded            | succeeded            | nestarc/idempotency 9610774
    409 {"message":"A request with this idempotency key is already being processed"} · Idempotency-Status: conflict | in-progress      | waiting in-progress  | waiting in-progress  | nestarc/idempotency 9610774
    422 {"message":"Idempotency key reused with a different payload"} · Idempotency-Status: mismatch                | mismatch         | unknown key-mismatch | unknown key-mismatch | nestarc/idempotency 9610774
    `,
  ),
  ...casesOf(
    'Laravel infinitypaul',
    KEY,
    `
    answer                                                | verdict          | first           | later           | source
    200 {"id":1} · Idempotency-Status: Repeated           | success replayed | succeeded       | succeeded       | infinitypaul/idempotency-laravel 195d568
    200 {"id":1} · Idempotency-Status: Original           | success          | succeeded       | succeeded       | infinitypaul/idempotency-laravel 195d568
    500 {"error":"Request is in progress"}                | unknown          | waiting backoff | waiting backoff | infinitypaul/idempotency-laravel 195d568: 5 s of waiting for the first
    400 {"error":"Invalid Idempotency-Key header format"} | failure origin   | refused         | refused         | infinitypaul/idempotency-laravel 195d568: no UUID
    `,
  ),
  ...casesOf(
    'Laravel square1',
    KEY,
    `
    answer                                | verdict | first           | later           | source
    200 {"id":1} · Idempotency-Relayed: k | success | succeeded       | succeeded       | square1-io/laravel-idempotency 7d5a57b: a marker that nobody else uses
    500 {"message":"Lock wait exceeded"}  | unknown | waiting backoff | waiting backoff | square1-io/laravel-idempotency 7d5a57b: 10 s of waiting for the first
    `,
  ),
  ...casesOf(
    'idempotency4j',
    KEY,
    `
    answer                                                       | verdict          | first                | later                | source
    200 {"id":1} · Idempotent-Replayed: true                     | success replayed | succeeded            | succeeded            | idempotency4j 24ea721
    503 {"title":"Lock timeout"}                                 | unknown          | waiting backoff      | waiting backoff      | idempotency4j 24ea721: 10 s of waiting for the first
    422 {"title":"Idempotency-Key reused with a different body"} | mismatch         | unknown key-mismatch | unknown key-mismatch | idempotency4j 24ea721
    `,
  ),
  ...casesOf(
    'zmbdp',
    {
      ...dedupeTable({ header: 'idempotent-token', done: 200_000, processing: [] }),
      id: 'zmbdp',
      guarantee: 'reject',
      rules: [
        {
          status: 400,
          body: { '/code': 400_000, '/errMsg': /重复提交/ },
          then: { is: 'duplicate' },
        },
        ...dedupeTable({ done: 200_000 }).rules,
      ],
    },
    `
    answer                                      | verdict        | first               | later                 | source
    200 {"code":200000,"data":{}}               | success        | succeeded           | succeeded             | zmbdp/frameworkjava 5af3fb8
    400 {"code":400000,"errMsg":"请勿重复提交"} | duplicate      | unknown token-spent | unknown token-spent   | zmbdp/frameworkjava 5af3fb8: in progress and done alike
    400 {"code":400000,"errMsg":"参数错误"}     | failure origin | refused             | unknown refused-later | zmbdp/frameworkjava 5af3fb8: the same code
    `,
  ),
]
