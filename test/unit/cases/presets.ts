import { businessNumber } from '../../../src/profiles/business-number.ts'
import { dedupeTable } from '../../../src/profiles/dedupe-table.ts'
import { idempotencyKey } from '../../../src/profiles/idempotency-key.ts'
import { oneTimeToken } from '../../../src/profiles/one-time-token.ts'
import { repeatWindow } from '../../../src/profiles/repeat-window.ts'
import { repeatability } from '../../../src/profiles/repeatability.ts'
import { stateMachine } from '../../../src/profiles/state-machine.ts'
import { stripe } from '../../../src/profiles/stripe.ts'
import type { Case } from './table.ts'
import { casesOf } from './table.ts'

/** What each preset makes of the answers of the server that it stands for. */
export const PRESETS: readonly Case[] = [
  ...casesOf(
    'IETF draft',
    idempotencyKey({ quoted: true }),
    `
    answer                                                            | verdict        | first                | later                | source
    201 {"id":1}                                                      | success        | succeeded            | succeeded            | draft-ietf-httpapi-idempotency-key-header-07, 2.6
    400 {"title":"Idempotency-Key is missing"}                        | failure origin | refused              | refused              | draft-ietf-httpapi-idempotency-key-header-07, 2.7
    422 {"title":"Idempotency-Key is already used"}                   | mismatch       | unknown key-mismatch | unknown key-mismatch | draft-ietf-httpapi-idempotency-key-header-07, 2.7
    422 {"title":"The amount must be positive"}                       | failure origin | refused              | refused              | RFC 9110, 15.5.21
    409 {"title":"A request is outstanding for this Idempotency-Key"} | in-progress    | waiting in-progress  | waiting in-progress  | draft-ietf-httpapi-idempotency-key-header-07, 2.7
    500 {"title":"Internal Server Error"}                             | unknown        | waiting backoff      | waiting backoff      | draft-ietf-httpapi-idempotency-key-header-07, 2.6
    no answer                                                         |                | waiting backoff      | waiting backoff      | draft-ietf-httpapi-idempotency-key-header-07, 1
    `,
  ),
  ...casesOf(
    'Stripe v1',
    stripe(),
    `
    answer                                                                     | verdict                   | first                 | later                 | source
    200 {"id":"ch_1"}                                                          | success                   | succeeded             | succeeded             | https://docs.stripe.com/api/idempotent_requests
    200 {"id":"ch_1"} · Idempotent-Replayed: true                              | success replayed          | succeeded             | succeeded             | https://docs.stripe.com/error-low-level
    400 {"error":{"type":"idempotency_error"}}                                 | mismatch                  | unknown key-mismatch  | unknown key-mismatch  | https://docs.stripe.com/api/errors
    409 {"error":{"code":"idempotency_key_in_use"}}                            | in-progress               | waiting in-progress   | waiting in-progress   | https://docs.stripe.com/error-codes
    409 {"error":{"type":"idempotency_error","code":"idempotency_key_in_use"}} | in-progress               | waiting in-progress   | waiting in-progress   | https://docs.stripe.com/error-codes
    429 {"error":{"code":"lock_timeout"}}                                      | in-progress               | waiting in-progress   | waiting in-progress   | https://docs.stripe.com/error-codes
    409 {"error":{"type":"invalid_request_error"}}                             | in-progress               | waiting in-progress   | waiting in-progress   | https://docs.stripe.com/api/errors
    429 {"error":{"code":"rate_limit"}}                                        | not-executed rate-limited | waiting rate-limited  | waiting rate-limited  | https://docs.stripe.com/error-low-level
    401 {"error":{"type":"invalid_request_error"}}                             | failure front             | paused unauthorized   | unknown refused-later | https://docs.stripe.com/error-low-level
    402 {"error":{"type":"card_error","code":"card_declined"}}                 | failure origin            | refused               | refused               | https://docs.stripe.com/api/errors
    500 {"error":{"type":"api_error"}}                                         | unknown                   | waiting backoff       | waiting backoff       | https://docs.stripe.com/error-low-level
    500 {"error":{"type":"api_error"}} · Idempotent-Replayed: true             | unknown final             | unknown not-retryable | unknown not-retryable | https://docs.stripe.com/api/idempotent_requests
    500 {"error":{"type":"api_error"}} · Stripe-Should-Retry: false            | unknown                   | unknown not-retryable | unknown not-retryable | stripe/stripe-node 6639421, src/RequestSender.ts
    400 {"error":{"type":"invalid_request_error"}} · Stripe-Should-Retry: true | failure origin            | waiting backoff       | waiting backoff       | stripe/stripe-node 6639421, src/RequestSender.ts
    402 {"error":{"type":"card_error"}} · Stripe-Should-Retry: false           | failure origin            | refused               | refused               | stripe/stripe-node 6639421, src/RequestSender.ts
    no answer                                                                  |                           | waiting backoff       | waiting backoff       | https://docs.stripe.com/error-low-level
    `,
  ),
  ...casesOf(
    'Stripe v2',
    stripe({ ttlMs: 30 * 86_400_000 }),
    `
    answer                              | verdict | first           | later           | source
    500 {"error":{"type":"api_error"}}  | unknown | waiting backoff | waiting backoff | https://docs.stripe.com/api-v2-overview
    200 {"id":"x","status":"completed"} | success | succeeded       | succeeded       | https://docs.stripe.com/api-v2-overview
    `,
  ),
  ...casesOf(
    'Azure, OASIS',
    repeatability(),
    `
    answer                                            | verdict        | first                | later                 | source
    201 {"id":1} · Repeatability-Result: accepted     | success        | succeeded            | succeeded             | https://docs.oasis-open.org/odata/repeatable-requests/v1.0/repeatable-requests-v1.0.html
    409 {"error":{}} · Repeatability-Result: accepted | in-progress    | waiting in-progress  | waiting in-progress   | https://learn.microsoft.com/rest/api/communication/repeatable-requests
    409 {"error":{}}                                  | conflict       | waiting in-progress  | waiting in-progress   | RFC 9110, 15.5.10: the header is hidden by CORS
    400 {"error":{}} · Repeatability-Result: rejected | mismatch       | unknown key-mismatch | unknown key-mismatch  | https://learn.microsoft.com/rest/api/communication/repeatable-requests
    400 {"error":{}} · Repeatability-Result: accepted | failure origin | refused              | refused               | https://learn.microsoft.com/rest/api/communication/repeatable-requests
    404 {"error":{}} · Repeatability-Result: accepted | failure origin | refused              | refused               | https://learn.microsoft.com/rest/api/communication/repeatable-requests
    404 {"error":{}}                                  | failure front  | refused              | unknown refused-later | https://learn.microsoft.com/rest/api/communication/repeatable-requests
    412 {"error":{}} · Repeatability-Result: Rejected | failure front  | refused              | unknown refused-later | https://learn.microsoft.com/rest/api/communication/repeatable-requests
    501 {"error":{}} · Repeatability-Result: rejected | failure front  | refused              | unknown refused-later | https://learn.microsoft.com/rest/api/communication/repeatable-requests
    500 {"error":{}} · Repeatability-Result: accepted | unknown        | waiting backoff      | waiting backoff       | https://learn.microsoft.com/rest/api/communication/repeatable-requests
    `,
  ),
  ...casesOf(
    'one-time token',
    oneTimeToken({
      duplicate: { status: 409, body: { '/code': 'TOKEN_USED' } },
      expired: { status: 409, body: { '/code': 'TOKEN_EXPIRED' } },
      recover: '/api/orders?token={token}',
    }),
    `
    answer                                                   | verdict                    | first                              | later                              | source
    201 {"id":1}                                             | success                    | succeeded                          | succeeded                          | opengoofy/congomall 43dcee5, with statuses
    201 {"id":1} · cut off                                   | success                    | succeeded without its body         | succeeded without its body         | RFC 9110, 15.3.2: the status came whole
    409 {"title":"A request is outstanding for this number"} | in-progress                | waiting in-progress                | waiting in-progress                | https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/
    409 {"code":"TOKEN_USED"}                                | duplicate                  | asked, else unknown token-spent    | asked, else unknown token-spent    | https://redis.io/docs/latest/commands/getdel/
    409 {"code":"TOKEN_EXPIRED"}                             | not-executed token-expired | waiting backoff with a fresh token | waiting backoff with a fresh token | https://redis.io/docs/latest/commands/getdel/, beside a list of what was issued
    422 {"code":"OUT_OF_STOCK"}                              | failure origin             | refused                            | unknown refused-later              | opengoofy/congomall 43dcee5: consumed before the business, not put back
    503                                                      | unknown                    | waiting backoff                    | waiting backoff                    | RFC 9110, 15.6.4: may come before or after the effect
    no answer                                                |                            | waiting backoff                    | waiting backoff                    | opengoofy/congomall 43dcee5: the same token is a safe probe
    `,
  ),
  ...casesOf(
    'congomall',
    oneTimeToken({
      url: '/token',
      at: '/data',
      place: { header: 'idempotent-token' },
      lifetimeMs: 6_000,
      envelope: { success: '0' },
      duplicate: { body: { '/code': /^A00020[01]$/ } },
    }),
    `
    answer                                                     | verdict        | first               | later                 | source
    200 {"code":"0","data":{"id":1}}                           | success        | succeeded           | succeeded             | opengoofy/congomall 43dcee5
    200 {"code":"A000201","message":"幂等Token已被使用或失效"} | duplicate      | unknown token-spent | unknown token-spent   | opengoofy/congomall 43dcee5
    200 {"code":"A000200","message":"幂等Token为空"}           | duplicate      | unknown token-spent | unknown token-spent   | opengoofy/congomall 43dcee5
    200 {"code":"B000001","message":"sold out"}                | failure origin | refused             | unknown refused-later | opengoofy/congomall 43dcee5
    200 {"code":"0","data":{"id":1}} · cut off                 | unknown        | waiting backoff     | waiting backoff       | opengoofy/congomall 43dcee5: only the code tells
    200 · HTML                                                 | unknown        | waiting backoff     | waiting backoff       | RFC 9110, 15.3.1: a captive portal says 200 too
    `,
  ),
  ...casesOf(
    'wangzaiplus',
    oneTimeToken({
      url: '/token',
      at: '/data',
      place: { header: 'token' },
      lifetimeMs: 60_000,
      envelope: { code: '/status', success: 0 },
      duplicate: { body: { '/status': 1, '/msg': /重复操作/ } },
    }),
    `
    answer                                | verdict        | first               | later                 | source
    200 {"status":0,"data":null}          | success        | succeeded           | succeeded             | wangzaiplus/springboot fe4daa3
    200 {"status":1,"msg":"请勿重复操作"} | duplicate      | unknown token-spent | unknown token-spent   | wangzaiplus/springboot fe4daa3
    200 {"status":1,"msg":"参数不合法"}   | failure origin | refused             | unknown refused-later | wangzaiplus/springboot fe4daa3
    `,
  ),
  ...casesOf(
    'dedupe table',
    dedupeTable(),
    `
    answer                                       | verdict        | first                       | later                       | source
    200 {"code":"OK","data":{"id":1}}            | success        | succeeded                   | succeeded                   | https://brandur.org/idempotency-keys
    200 {"code":"DONE","data":{"id":1}}          | success        | succeeded                   | succeeded                   | https://brandur.org/idempotency-keys
    200 {"code":"PROCESSING"}                    | in-progress    | waiting in-progress         | waiting in-progress         | https://brandur.org/idempotency-keys
    200 {"code":"processing","retryAfterMs":250} | in-progress    | waiting in-progress 250 ms  | waiting in-progress 250 ms  | https://brandur.org/idempotency-keys
    200 {"code":"mismatch"}                      | mismatch       | unknown key-mismatch        | unknown key-mismatch        | https://brandur.org/idempotency-keys
    200 {"code":"PROCESSING"} · Retry-After: 3   | in-progress    | waiting in-progress 3000 ms | waiting in-progress 3000 ms | RFC 9110, 10.2.3
    200 {"code":"FAILED","message":"sold out"}   | failure origin | refused                     | refused                     | https://brandur.org/idempotency-keys
    409 {"message":"locked"}                     | in-progress    | waiting in-progress         | waiting in-progress         | https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/
    423                                          | in-progress    | waiting in-progress         | waiting in-progress         | RFC 4918, 11.3
    200                                          | unknown        | waiting backoff             | waiting backoff             | RFC 9110, 15.3.1: no code is no word of the server
    200 {"code":"OK","data":{}} · cut off        | unknown        | waiting backoff             | waiting backoff             | RFC 9112, 8: incomplete messages; only the code tells
    401                                          | failure front  | paused unauthorized         | unknown refused-later       | RFC 9110, 15.5.2
    no answer                                    |                | waiting backoff             | waiting backoff             | https://brandur.org/idempotency-keys
    `,
  ),
  ...casesOf(
    'dedupe table, with other codes',
    dedupeTable({ code: '/status', done: 0, replayed: 1, processing: [2, 3], unauthorized: 401 }),
    `
    answer                     | verdict                   | first               | later                 | source
    200 {"status":0,"data":{}} | success                   | succeeded           | succeeded             | zmbdp/frameworkjava 5af3fb8, returnCachedResult
    200 {"status":1,"data":{}} | success replayed          | succeeded           | succeeded             | zmbdp/frameworkjava 5af3fb8, returnCachedResult
    200 {"status":3}           | in-progress               | waiting in-progress | waiting in-progress   | zmbdp/frameworkjava 5af3fb8, returnCachedResult
    200 {"status":401}         | not-executed unauthorized | paused unauthorized | unknown refused-later | yangzongzhuan/RuoYi-Vue a6ea55e: 401 in a 200
    200 {"status":500}         | failure origin            | refused             | refused               | zmbdp/frameworkjava 5af3fb8, returnCachedResult
    `,
  ),
  ...casesOf(
    'unique index, what exists comes back',
    businessNumber({ exists: { status: 409, body: { '/order/state': /./ } } }),
    `
    answer                                                   | verdict          | first               | later               | source
    201 {"orderNo":"a"}                                      | success          | succeeded           | succeeded           | https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html
    200 {"orderNo":"a"}                                      | success          | succeeded           | succeeded           | https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html
    409 {"order":{"state":"PENDING"}}                        | success replayed | succeeded           | succeeded           | Interchecks, as reported: 409 with the original body
    409 {"title":"A request is outstanding for this number"} | in-progress      | waiting in-progress | waiting in-progress | https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/
    409 {"message":"duplicate key"}                          | conflict         | waiting in-progress | waiting in-progress | https://www.postgresql.org/docs/current/errcodes-appendix.html (23505)
    422 {"message":"sold out"}                               | failure origin   | refused             | refused             | RFC 9110, 15.5.21
    no answer                                                |                  | waiting backoff     | waiting backoff     | https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html
    `,
  ),
  ...casesOf(
    'unique index, a repeat is refused',
    businessNumber({ guarantee: 'reject', recover: '/api/orders/{key}' }),
    `
    answer                                                   | verdict        | first                           | later                           | source
    201 {"orderNo":"a"}                                      | success        | succeeded                       | succeeded                       | https://www.postgresql.org/docs/current/errcodes-appendix.html (23505)
    409 {"title":"A request is outstanding for this number"} | in-progress    | waiting in-progress             | waiting in-progress             | https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/
    409 {"message":"duplicate key"}                          | duplicate      | asked, else unknown token-spent | asked, else unknown token-spent | https://www.postgresql.org/docs/current/errcodes-appendix.html (23505)
    422 {"message":"sold out"}                               | failure origin | refused                         | unknown refused-later           | RFC 9110, 9.2.2: a refusal speaks for its own delivery
    `,
  ),
  ...casesOf(
    'state machine',
    stateMachine({ reached: ['PAID', 'SHIPPED'], moving: 'PAYING', ended: 'CANCELLED' }),
    `
    answer                                                   | verdict          | first               | later                 | source
    200 {"state":"PAID","version":2}                         | success          | succeeded           | succeeded             | RFC 9110, 13.1.1
    204                                                      | success          | succeeded           | succeeded             | RFC 9110, 15.3.5
    409 {"state":"PAID","version":2}                         | success replayed | succeeded           | succeeded             | RFC 9110, 13.1.1: already in effect
    412 {"state":"SHIPPED","version":3}                      | success replayed | succeeded           | succeeded             | RFC 9110, 13.1.1: already in effect
    200 {"state":"PAYING","version":2}                       | in-progress      | waiting in-progress | waiting in-progress   | RFC 9110, 15.3.3
    409 {"title":"A request is outstanding for this number"} | in-progress      | waiting in-progress | waiting in-progress   | https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/
    409 {"state":"PENDING","version":5}                      | failure origin   | refused             | unknown refused-later | RFC 9110, 15.5.10: for the user to resolve
    412                                                      | failure origin   | refused             | unknown refused-later | RFC 9110, 15.5.13
    422 {"state":"CANCELLED"}                                | failure origin   | refused             | unknown refused-later | RFC 9110, 15.5.21
    200 {"state":"CANCELLED"}                                | failure origin   | refused             | unknown refused-later | RFC 9110, 15.3.1: the state says it, not the status
    200 {"state":"PENDING","version":1}                      | unknown          | waiting backoff     | waiting backoff       | RFC 9110, 15.3.1: the state says it, not the status
    no answer                                                |                  | waiting backoff     | waiting backoff       | RFC 9110, 13.1.1: If-Match makes a repeat harmless
    `,
  ),
  ...casesOf(
    'RuoYi',
    repeatWindow(),
    `
    answer                                             | verdict                   | first                        | later                        | source
    200 {"code":200,"msg":"操作成功","data":{}}        | success                   | succeeded                    | succeeded                    | yangzongzhuan/RuoYi-Vue a6ea55e
    200 {"code":500,"msg":"不允许重复提交,请稍候再试"} | duplicate                 | unknown token-spent          | unknown token-spent          | yangzongzhuan/RuoYi-Vue a6ea55e
    200 {"code":500,"msg":"库存不足"}                  | failure origin            | refused                      | unknown refused-later        | yangzongzhuan/RuoYi-Vue a6ea55e
    200 {"code":401,"msg":"认证失败"}                  | not-executed unauthorized | paused unauthorized          | unknown refused-later        | yangzongzhuan/RuoYi-Vue a6ea55e
    429                                                | not-executed rate-limited | waiting rate-limited 5000 ms | waiting rate-limited 5000 ms | RFC 6585, 4; the window is open by then
    503                                                | unknown                   | unknown not-retryable        | unknown not-retryable        | yangzongzhuan/RuoYi-Vue a6ea55e: after 5 s it executes again
    409                                                | conflict                  | refused                      | unknown not-retryable        | RFC 9110, 15.5.10
    no answer                                          |                           | unknown not-retryable        | unknown not-retryable        | yangzongzhuan/RuoYi-Vue a6ea55e: after 5 s it executes again
    `,
  ),
  ...casesOf(
    'RuoYi-Vue-Plus',
    repeatWindow(),
    `
    answer                                             | verdict   | first               | later               | source
    200 {"code":500,"msg":"不允许重复提交,请稍候再试"} | duplicate | unknown token-spent | unknown token-spent | dromara/RuoYi-Vue-Plus 098d334
    `,
  ),
  ...casesOf(
    'yudao',
    repeatWindow({
      windowMs: 1_000,
      envelope: { success: 0, unauthorized: 401 },
      duplicate: { body: { '/code': 900 } },
    }),
    `
    answer                                        | verdict                   | first                        | later                        | source
    200 {"code":0,"data":1}                       | success                   | succeeded                    | succeeded                    | YunaiV/ruoyi-vue-pro e4e460d
    200 {"code":900,"msg":"重复请求，请稍后重试"} | duplicate                 | unknown token-spent          | unknown token-spent          | YunaiV/ruoyi-vue-pro e4e460d
    429                                           | not-executed rate-limited | waiting rate-limited 1000 ms | waiting rate-limited 1000 ms | RFC 6585, 4
    no answer                                     |                           | unknown not-retryable        | unknown not-retryable        | YunaiV/ruoyi-vue-pro e4e460d: after 1 s it executes again
    `,
  ),
  ...casesOf(
    'bootx',
    {
      ...repeatWindow({
        windowMs: 10_000,
        envelope: { success: 0 },
        duplicate: { body: { '/code': 10_007 } },
      }),
      id: 'bootx',
      key: { place: { header: 'idempotenttoken' } },
    },
    `
    answer                              | verdict        | first                 | later                 | source
    200 {"code":0,"data":1}             | success        | succeeded             | succeeded             | xxm1995/bootx-platform 1600ed3
    200 {"code":10007,"msg":"重复请求"} | duplicate      | unknown token-spent   | unknown token-spent   | xxm1995/bootx-platform 1600ed3
    200 {"code":1,"msg":"余额不足"}     | failure origin | refused               | unknown refused-later | xxm1995/bootx-platform 1600ed3
    no answer                           |                | unknown not-retryable | unknown not-retryable | xxm1995/bootx-platform 1600ed3: after 10 s the same token executes again
    `,
  ),
]
