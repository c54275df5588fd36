import { dedupeTable } from '../../../src/profiles/dedupe-table.ts'
import { idempotencyKey } from '../../../src/profiles/idempotency-key.ts'
import { oneTimeToken } from '../../../src/profiles/one-time-token.ts'
import type { Rule, ServerProfile } from '../../../src/profiles/profile.ts'
import { repeatability } from '../../../src/profiles/repeatability.ts'
import { stateMachine } from '../../../src/profiles/state-machine.ts'
import { stripe } from '../../../src/profiles/stripe.ts'
import type { Case } from './table.ts'
import { casesOf } from './table.ts'

const KEY = idempotencyKey()

const withRules = (
  id: string,
  rules: readonly Rule[],
  more: Partial<ServerProfile> = {},
): ServerProfile => ({ ...KEY, id, ...more, rules: [...rules, ...KEY.rules] })

/** What has caught clients before, each under a name of its own. */
export const TRAPS: readonly Case[] = [
  ...casesOf(
    'used up, and the reply was lost',
    withRules(
      'primer',
      [
        {
          body: { '/error/errorId': 'TransactionRequestIdempotencyKeyAlreadyExists' },
          then: { is: 'duplicate' },
        },
        { body: { '/errorId': 'IdempotencyKeyAlreadyExists' }, then: { is: 'duplicate' } },
        { body: { '/code': 'IDEMPOTENCY_KEY_REUSED' }, then: { is: 'duplicate' } },
        { body: { '/code': 'idempotency_replay_unavailable' }, then: { is: 'duplicate' } },
      ],
      { guarantee: 'reject' },
    ),
    `
    answer                                                                    | verdict   | first               | later               | source
    400 {"error":{"errorId":"TransactionRequestIdempotencyKeyAlreadyExists"}} | duplicate | unknown token-spent | unknown token-spent | api-evangelist/primer, examples/primer-post-payments-response-400-idempotencyerror.json
    409 {"errorId":"IdempotencyKeyAlreadyExists"}                             | duplicate | unknown token-spent | unknown token-spent | https://primer.io/docs/api/introduction/idempotency-key
    409 {"code":"IDEMPOTENCY_KEY_REUSED"}                                     | duplicate | unknown token-spent | unknown token-spent | useplunk/plunk#484
    409 {"code":"idempotency_replay_unavailable"}                             | duplicate | unknown token-spent | unknown token-spent | https://docs.auriko.ai/errors/idempotency_replay_unavailable
    `,
  ),
  ...casesOf(
    '409 has many meanings',
    KEY,
    `
    answer                                                               | verdict     | first                       | later                       | source
    409 {"code":"idempotency_request_in_progress"}                       | in-progress | waiting in-progress         | waiting in-progress         | https://docs.whop.com/developer/api/idempotency
    409 {"message":"Idempotency key was used with a different body"}     | mismatch    | unknown key-mismatch        | unknown key-mismatch        | Gravity Payments, as reported: only the text differs
    409 {"message":"A request with this idempotency key is in progress"} | in-progress | waiting in-progress         | waiting in-progress         | Gravity Payments, as reported: only the text differs
    409 {"code":"IDEMPOTENCY_CONFLICT"}                                  | in-progress | waiting in-progress         | waiting in-progress         | https://www.smartretry.com/docs/api-reference/idempotency: a mismatch, which only a rule can tell
    409 {"message":"E-mail address already taken"}                       | conflict    | waiting in-progress         | waiting in-progress         | RFC 9110, 15.5.10
    409 {"message":"E-mail address is in use"}                           | conflict    | waiting in-progress         | waiting in-progress         | RFC 9110, 15.5.10: "in use" is not said of a key
    409                                                                  | conflict    | waiting in-progress         | waiting in-progress         | RFC 9110, 15.5.10
    409 · Retry-After: 2                                                 | in-progress | waiting in-progress 2000 ms | waiting in-progress 2000 ms | RFC 9110, 10.2.3
    423                                                                  | conflict    | waiting in-progress         | waiting in-progress         | RFC 4918, 11.3
    `,
  ),
  ...casesOf(
    '409 has many meanings',
    KEY,
    `
    answer                                         | verdict  | third conflict | after a minute      | source
    409 {"message":"E-mail address already taken"} | conflict | refused        | unknown in-progress | RFC 9110, 15.5.10
    423                                            | conflict | refused        | unknown in-progress | RFC 4918, 11.3
    `,
  ),
  ...casesOf(
    'in progress without a 409',
    withRules('in-progress', [
      { status: 503, body: { '/code': 'RESOURCE_LOCKED' }, then: { is: 'in-progress' } },
      { status: 500, body: { '/message': /in progress/i }, then: { is: 'in-progress' } },
      { status: 429, body: { '/code': 'in_progress' }, then: { is: 'in-progress' } },
      { status: 202, body: { '/type': 'processing' }, then: { is: 'in-progress', waitMs: 1_800 } },
      {
        status: 200,
        header: { status: /^(?:BEFORE_|AFTER_)?EXECUTE$/ },
        then: { is: 'in-progress' },
      },
    ]),
    `
    answer                                          | verdict     | first                       | later                       | source
    503 {"code":"RESOURCE_LOCKED"}                  | in-progress | waiting in-progress         | waiting in-progress         | https://www.smartretry.com/docs/api-reference/idempotency
    503 {"code":"RESOURCE_LOCKED"} · Retry-After: 4 | in-progress | waiting in-progress 4000 ms | waiting in-progress 4000 ms | RFC 9110, 15.6.4
    500 {"message":"Request in progress"}           | in-progress | waiting in-progress         | waiting in-progress         | infinitypaul/idempotency-laravel 195d568
    429 {"code":"in_progress"}                      | in-progress | waiting in-progress         | waiting in-progress         | https://www.checkout.com/docs/payments/manage-payments/idempotency: formerly
    202 {"type":"processing"}                       | in-progress | waiting in-progress         | waiting in-progress         | yoomoney/yookassa-sdk-php 7ebbab8, BaseClient.php
    200 null · status: EXECUTE                      | in-progress | waiting in-progress         | waiting in-progress         | xuxiaowei-com-cn/spring-boot-starter-idempotent adb7dc6: null while it runs
    `,
  ),
  ...casesOf(
    'in progress for ever',
    withRules('stuck', [
      { status: 503, body: { '/code': 'RESOURCE_LOCKED' }, then: { is: 'in-progress' } },
      { status: 202, then: { is: 'pending', poll: 'location' } },
    ]),
    `
    answer                                         | verdict     | after a minute                                 | source
    409 {"code":"REQUEST_IN_PROGRESS"}             | in-progress | unknown in-progress                            | mahendraHegde/node-idempotency 622b33f, run: a crash leaves the lock for 24 h
    409 {"code":"idempotency_request_in_progress"} | in-progress | unknown in-progress                            | https://docs.whop.com/developer/api/idempotency: until the key expires
    503 {"code":"RESOURCE_LOCKED"}                 | in-progress | unknown in-progress                            | https://www.smartretry.com/docs/api-reference/idempotency
    202 · Location: /jobs/7                        | pending     | unknown in-progress at http://shop.test/jobs/7 | RFC 9110, 15.3.3
    `,
  ),
  ...casesOf(
    'in progress for ever',
    dedupeTable(),
    `
    answer                    | verdict     | after a minute      | source
    200 {"code":"PROCESSING"} | in-progress | unknown in-progress | https://brandur.org/idempotency-keys: a crash leaves the row
    423                       | in-progress | unknown in-progress | RFC 4918, 11.3
    `,
  ),
  ...casesOf(
    'stored failures',
    stripe(),
    `
    answer                                       | verdict       | first                 | later                 | eighth attempt        | source
    500 {"error":{}} · Idempotent-Replayed: true | unknown final | unknown not-retryable | unknown not-retryable | unknown not-retryable | https://docs.stripe.com/api/idempotent_requests
    503 {"error":{}}                             | unknown       | waiting backoff       | waiting backoff       | unknown attempts      | https://docs.stripe.com/error-low-level
    `,
  ),
  ...casesOf(
    'stored failures',
    KEY,
    `
    answer            | verdict | first           | later           | eighth attempt   | source
    500 {"error":"x"} | unknown | waiting backoff | waiting backoff | unknown attempts | paveg/hono-idempotency 6d6a075, run: executes again, so that asking is right
    `,
  ),
  ...casesOf(
    'a definite no, then the user edits',
    KEY,
    `
    answer                             | verdict        | first   | later   | after 429 | source
    422 {"title":"Address is missing"} | failure origin | refused | refused | refused   | https://docs.stripe.com/error-low-level: a new key for a modified request
    400 {"title":"Bad Request"}        | failure origin | refused | refused | refused   | https://docs.stripe.com/error-low-level: a new key for a modified request
    `,
  ),
  ...casesOf(
    'the key has expired',
    repeatability(),
    `
    answer                                  | verdict       | first   | later                 | source
    412 {} · Repeatability-Result: rejected | failure front | refused | unknown refused-later | https://learn.microsoft.com/rest/api/communication/repeatable-requests
    `,
  ),
  ...casesOf(
    'Retry-After in all its forms',
    withRules('retry-after', [], {
      pace: { retryAfter: [{ header: 'retry-after' }, { body: '/retryAfter', unit: 's' }] },
    }),
    `
    answer                                                                                 | verdict                   | first                         | later                        | source
    429 · Retry-After: 7                                                                   | not-executed rate-limited | waiting rate-limited 7000 ms  | waiting rate-limited 7000 ms | RFC 9110, 10.2.3
    429 · Retry-After: 0                                                                   | not-executed rate-limited | waiting rate-limited 0 ms     | waiting rate-limited 0 ms    | RFC 9110, 10.2.3
    503 · Retry-After: Tue, 01 Jan 2030 00:00:09 GMT                                       | unknown                   | waiting backoff 9000 ms       | waiting backoff 9000 ms      | RFC 9110, 10.2.3
    503 · Retry-After: Tue, 01 Jan 2030 00:10:09 GMT · Date: Tue, 01 Jan 2030 00:10:00 GMT | unknown                   | waiting backoff 9000 ms       | waiting backoff 9000 ms      | RFC 9110, 6.6.1: the clocks need not agree
    429 {"retryAfter":3}                                                                   | not-executed rate-limited | waiting rate-limited 3000 ms  | waiting rate-limited 3000 ms | yoomoney/yookassa-sdk-php 7ebbab8: in the body
    429 · Retry-After: soon                                                                | not-executed rate-limited | waiting rate-limited          | waiting rate-limited         | RFC 9110, 10.2.3: nothing that can be read
    429                                                                                    | not-executed rate-limited | waiting rate-limited          | waiting rate-limited         | microsoftgraph/microsoft-graph-docs-contrib#2011: hidden by CORS
    429 · Retry-After: 600                                                                 | not-executed rate-limited | paused rate-limited 600000 ms | unknown deadline 600000 ms   | RFC 9110, 10.2.3: longer than a turn
    `,
  ),
  ...casesOf(
    'a preflight that refuses the key',
    KEY,
    `
    answer    | verdict | first           | later           | eighth attempt   | source
    no answer |         | waiting backoff | waiting backoff | unknown attempts | https://fetch.spec.whatwg.org/#cors-protocol: a page cannot tell it from a broken network
    `,
  ),
  ...casesOf(
    'repeats must keep a distance',
    withRules('distant', [], { pace: { minDelayMs: 1_000 } }),
    `
    answer               | verdict                   | first                        | later                        | source
    500                  | unknown                   | waiting backoff 1000 ms      | waiting backoff 1000 ms      | OpenBankingUK/read-write-api-docs-pub v3.1.11
    429 · Retry-After: 0 | not-executed rate-limited | waiting rate-limited 1000 ms | waiting rate-limited 1000 ms | OpenBankingUK/read-write-api-docs-pub v3.1.11
    no answer            |                           | waiting backoff 1000 ms      | waiting backoff 1000 ms      | OpenBankingUK/read-write-api-docs-pub v3.1.11
    `,
  ),
  ...casesOf(
    'the key came with another body',
    KEY,
    `
    answer                                            | verdict  | first                | later                | source
    422 {"title":"Idempotency-Key is already used"}   | mismatch | unknown key-mismatch | unknown key-mismatch | draft-ietf-httpapi-idempotency-key-header-07, 2.7
    400 {"error":{"type":"idempotency_error"}}        | mismatch | unknown key-mismatch | unknown key-mismatch | https://docs.stripe.com/api/errors
    409 {"type":"idempotency_key_already_used_error"} | mismatch | unknown key-mismatch | unknown key-mismatch | https://increase.com/documentation/idempotency-keys.md
    417 {"message":"Idempotency-Key mismatch"}        | mismatch | unknown key-mismatch | unknown key-mismatch | VilledeMontreal/express-idempotency e1e429e, run
    200 {"id":"of the old body"}                      | success  | succeeded            | succeeded            | https://docs.qonto.com/get-started/general/idempotent-requests: nothing tells
    `,
  ),
  ...casesOf(
    'a 2xx that is not done',
    withRules('long-running', [
      {
        status: 202,
        header: { 'operation-location': /./ },
        then: { is: 'pending', poll: 'operation-location' },
      },
      { status: 202, body: { '/poll': /./ }, then: { is: 'pending', poll: '/poll' } },
      {
        status: 200,
        body: { '/status': /^(?:NotStarted|Running)$/ },
        then: { is: 'in-progress' },
      },
      {
        status: 200,
        body: { '/status': /^(?:Failed|Canceled)$/ },
        then: { is: 'failure', said: 'origin' },
      },
    ]),
    `
    answer                                             | verdict        | first                                                  | later                                                  | source
    202 · Operation-Location: /jobs/7                  | pending        | waiting in-progress at http://shop.test/jobs/7         | waiting in-progress at http://shop.test/jobs/7         | microsoft/api-guidelines, long-running operations
    202 · Operation-Location: /jobs/7 · Retry-After: 5 | pending        | waiting in-progress 5000 ms at http://shop.test/jobs/7 | waiting in-progress 5000 ms at http://shop.test/jobs/7 | microsoft/api-guidelines, long-running operations
    202 · Operation-Location: https://elsewhere.test/7 | pending        | waiting backoff                                        | waiting backoff                                        | microsoft/api-guidelines, long-running operations; another origin is never asked
    202 {"poll":"/jobs/7"}                             | pending        | waiting in-progress at http://shop.test/jobs/7         | waiting in-progress at http://shop.test/jobs/7         | RFC 9110, 15.3.3: a pointer to a monitor
    202                                                | unknown        | waiting backoff                                        | waiting backoff                                        | RFC 9110, 15.3.3: noncommittal
    200 {"status":"Running"}                           | in-progress    | waiting in-progress                                    | waiting in-progress                                    | microsoft/api-guidelines, long-running operations
    200 {"status":"Failed"}                            | failure origin | refused                                                | refused                                                | microsoft/api-guidelines, long-running operations
    200 {"status":"Succeeded"}                         | success        | succeeded                                              | succeeded                                              | microsoft/api-guidelines, long-running operations
    `,
  ),
  ...casesOf(
    'redirects',
    KEY,
    `
    answer                    | verdict | first           | later           | source
    200 {"id":1} · redirected | unknown | waiting backoff | waiting backoff | https://fetch.spec.whatwg.org/#http-redirect-fetch: a POST became a GET
    200 · HTML · redirected   | unknown | waiting backoff | waiting backoff | https://fetch.spec.whatwg.org/#http-redirect-fetch: a sign-in page
    404 · redirected          | unknown | waiting backoff | waiting backoff | https://fetch.spec.whatwg.org/#http-redirect-fetch: of another page
    `,
  ),
  ...casesOf(
    'a 2xx of somebody else',
    KEY,
    `
    answer                                 | verdict | first           | later           | source
    200 · HTML                             | unknown | waiting backoff | waiting backoff | RFC 8952, 1: captive portals
    200 · HTML · Idempotent-Replayed: true | unknown | waiting backoff | waiting backoff | RFC 8952, 1: captive portals
    201 {"id":1} · cut off                 | success | waiting backoff | waiting backoff | RFC 9112, 8: incomplete messages; it happened, the body is asked for
    `,
  ),
  ...casesOf(
    'a replay is not the same answer',
    KEY,
    `
    answer                                                      | verdict          | first     | later     | source
    200 {"id":1,"status":"SHIPPED"}                             | success          | succeeded | succeeded | https://developer.paypal.com/api/rest/reference/idempotency: the latest status
    200 · content-type: text/plain · Idempotency-Replayed: true | success replayed | succeeded | succeeded | paveg/hono-idempotency 6d6a075, run: headers are dropped
    `,
  ),
  ...casesOf(
    'the key is ignored',
    {
      ...withRules('ignored', []),
      guarantee: 'none',
    },
    `
    answer                                     | verdict     | first                 | later                 | source
    200 {"id":1} · Idempotency-Status: ignored | success     | succeeded             | succeeded             | https://api-docs.solidgate.com/api/v2/idempotent-requests: this endpoint does not honour the key
    500                                        | unknown     | unknown not-retryable | unknown not-retryable | https://docs.checkbook.io/docs/api/idempotent-requests: a reused key is executed
    409 {"code":"in_progress"}                 | in-progress | unknown not-retryable | unknown not-retryable | https://docs.checkbook.io/docs/api/idempotent-requests: a reused key is executed
    no answer                                  |             | unknown not-retryable | unknown not-retryable | https://api-docs.solidgate.com/api/v2/idempotent-requests: this endpoint does not honour the key
    `,
  ),
  ...casesOf(
    'the server asks for a new key, or for none',
    withRules('solid', [
      { body: { '/code': 'EC_QLDB_OCC_ERROR_RETRY' }, then: { is: 'failure', said: 'origin' } },
      { body: { '/safe_new_key': true }, then: { is: 'failure', said: 'origin' } },
      { body: { '/operation_state': 'uncertain' }, then: { is: 'unknown', final: true } },
      {
        status: 503,
        body: { '/code': 'IDEMPOTENCY_UNAVAILABLE' },
        then: { is: 'not-executed', because: 'unavailable' },
      },
    ]),
    `
    answer                                                   | verdict                  | first                 | later                 | source
    409 {"code":"EC_QLDB_OCC_ERROR_RETRY"}                   | failure origin           | refused               | refused               | https://docs.solidfi.com/v2/api-reference/getting-started/idempotency: everything is cached; only a rule may lead to a new key
    409 {"code":"operation_not_applied","safe_new_key":true} | failure origin           | refused               | refused               | https://echo.labstack.com/pro/problems/idempotency-key-invalid
    409 {"operation_state":"uncertain"}                      | unknown final            | unknown not-retryable | unknown not-retryable | https://echo.labstack.com/pro/problems/idempotency-key-invalid: not with any key
    503 {"code":"IDEMPOTENCY_UNAVAILABLE"}                   | not-executed unavailable | waiting rate-limited  | waiting rate-limited  | Method, as reported: wants it without a key, which never happens
    `,
  ),
  ...casesOf(
    'the session ends in the middle',
    KEY,
    `
    answer     | verdict       | first               | later                 | after 429           | source
    401        | failure front | paused unauthorized | unknown refused-later | paused unauthorized | https://docs.stripe.com/error-low-level: 401 is in front of the keys
    403        | failure front | paused unauthorized | unknown refused-later | paused unauthorized | RFC 9110, 15.5.4
    407        | failure front | paused unauthorized | unknown refused-later | paused unauthorized | RFC 9110, 15.5.8
    419        | failure front | paused unauthorized | unknown refused-later | paused unauthorized | laravel/framework, TokenMismatchException: the session has expired
    401 · HTML | failure front | paused unauthorized | unknown refused-later | paused unauthorized | RFC 9110, 15.5.2: a sign-in page
    `,
  ),
  ...casesOf(
    'the front refuses',
    KEY,
    `
    answer | verdict       | first   | later                 | source
    404    | failure front | refused | unknown refused-later | RFC 9110, 15.5.5: a router
    405    | failure front | refused | unknown refused-later | RFC 9110, 15.5.6: a router
    413    | failure front | refused | unknown refused-later | RFC 9110, 15.5.14: a gateway
    415    | failure front | refused | unknown refused-later | RFC 9110, 15.5.16: a gateway
    431    | failure front | refused | unknown refused-later | RFC 6585, 5: a gateway
    `,
  ),
  ...casesOf(
    'a limiter stands in front',
    KEY,
    `
    answer | verdict                   | first                | later                | eighth attempt       | source
    429    | not-executed rate-limited | waiting rate-limited | waiting rate-limited | waiting rate-limited | https://docs.stripe.com/error-low-level: the limiter runs before the keys
    `,
  ),
  ...casesOf(
    'may have come before or after the effect',
    KEY,
    `
    answer | verdict | first           | later           | source
    408    | unknown | waiting backoff | waiting backoff | RFC 9110, 15.5.9
    425    | unknown | waiting backoff | waiting backoff | RFC 8470, 5.2
    500    | unknown | waiting backoff | waiting backoff | RFC 9110, 15.6.1
    502    | unknown | waiting backoff | waiting backoff | RFC 9110, 15.6.3
    503    | unknown | waiting backoff | waiting backoff | RFC 9110, 15.6.4
    504    | unknown | waiting backoff | waiting backoff | RFC 9110, 15.6.5
    `,
  ),
  ...casesOf(
    'two tabs, a double click',
    KEY,
    `
    answer                                                            | verdict     | first               | later               | source
    409 {"title":"A request is outstanding for this Idempotency-Key"} | in-progress | waiting in-progress | waiting in-progress | draft-ietf-httpapi-idempotency-key-header-07, 2.7
    409 {"message":"Request is currently being processed"}            | in-progress | waiting in-progress | waiting in-progress | nestarc/idempotency 9610774
    `,
  ),
  ...casesOf(
    'a clock that is wrong',
    repeatability(),
    `
    answer                                  | verdict       | first   | later                 | after 429 | source
    412 {} · Repeatability-Result: rejected | failure front | refused | unknown refused-later | refused   | https://learn.microsoft.com/rest/api/communication/repeatable-requests
    `,
  ),
  ...casesOf(
    'a false marker of a replay',
    KEY,
    `
    answer                                                         | verdict          | first               | later               | source
    409 {"code":"REQUEST_IN_PROGRESS"} · Idempotent-Replayed: true | in-progress      | waiting in-progress | waiting in-progress | mahendraHegde/node-idempotency 622b33f, run
    204 · Idempotent-Replayed: true                                | success replayed | succeeded           | succeeded           | mahendraHegde/node-idempotency 622b33f, run
    500 · Idempotent-Replayed: true                                | unknown          | waiting backoff     | waiting backoff     | mahendraHegde/node-idempotency 622b33f, run
    `,
  ),
  ...casesOf(
    'used and expired look the same',
    oneTimeToken(),
    `
    answer                                | verdict   | first               | later               | after 429           | source
    409 {"message":"Do not submit again"} | duplicate | unknown token-spent | unknown token-spent | unknown token-spent | opengoofy/congomall 43dcee5
    `,
  ),
  ...casesOf(
    'the body would have decided, and is cut off',
    withRules('canceled', [
      { status: 200, body: { '/status': 'canceled' }, then: { is: 'failure', said: 'origin' } },
    ]),
    `
    answer                                                    | verdict        | first           | later           | source
    200 {"status":"canceled"}                                 | failure origin | refused         | refused         | https://yookassa.ru/developers/using-api/response-handling/recommendations
    200 {"status":"canceled"} · cut off                       | unknown        | waiting backoff | waiting backoff | https://yookassa.ru/developers/using-api/response-handling/recommendations
    201 {"id":1} · cut off                                    | success        | waiting backoff | waiting backoff | RFC 9112, 8: no rule is about a 201
    422 {"title":"Idempotency-Key is already used"} · cut off | unknown        | waiting backoff | waiting backoff | RFC 9112, 8: a mismatch or a refusal
    `,
  ),
  ...casesOf(
    'the body would have decided, and is cut off',
    stateMachine({ reached: 'PAID', ended: 'CANCELLED' }),
    `
    answer                              | verdict | first           | later           | source
    200 {"state":"CANCELLED"} · cut off | unknown | waiting backoff | waiting backoff | RFC 9112, 8: incomplete messages
    409 {"state":"PAID"} · cut off      | unknown | waiting backoff | waiting backoff | RFC 9112, 8: incomplete messages
    `,
  ),
]
