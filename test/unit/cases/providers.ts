import { idempotencyKey } from '../../../src/profiles/idempotency-key.ts'
import type { Place, Rule, ServerProfile } from '../../../src/profiles/profile.ts'
import type { Case } from './table.ts'
import { casesOf } from './table.ts'

const DAY_MS = 86_400_000

/** A provider as an app would write it down: a key, and the rules that are its own. */
const provider = (
  id: string,
  place: Place,
  rules: readonly Rule[],
  more: Partial<ServerProfile> = {},
): ServerProfile => ({
  id,
  guarantee: 'replay',
  key: { place },
  ttlMs: DAY_MS,
  failureKey: 'rotate',
  rules,
  ...more,
})

const ANY_409: Rule = { status: 409, then: { is: 'in-progress' } }

/** Providers that are not worked out in the guide. */
export const PROVIDERS: readonly Case[] = [
  ...casesOf(
    'Shopify',
    provider('shopify', { body: '/variables/idempotencyKey' }, [
      {
        body: { '/data/orderCreate/userErrors/0/code': 'IDEMPOTENCY_CONCURRENT_REQUEST' },
        then: { is: 'in-progress' },
      },
      {
        body: { '/data/orderCreate/userErrors/0/code': 'IDEMPOTENCY_KEY_PARAMETER_MISMATCH' },
        then: { is: 'mismatch' },
      },
      {
        body: { '/data/orderCreate/userErrors/0/code': /./ },
        then: { is: 'failure', said: 'origin' },
      },
      {
        body: { '/errors/0/extensions/code': 'THROTTLED' },
        then: { is: 'not-executed', because: 'rate-limited' },
      },
      { body: { '/errors/0/message': /./ }, then: { is: 'unknown' } },
    ]),
    `
    answer                                                                                      | verdict                   | first                | later                | source
    200 {"data":{"orderCreate":{"order":{"id":1},"userErrors":[]}}}                             | success                   | succeeded            | succeeded            | https://shopify.dev/docs/api/usage/implementing-idempotency
    200 {"data":{"orderCreate":{"userErrors":[{"code":"IDEMPOTENCY_CONCURRENT_REQUEST"}]}}}     | in-progress               | waiting in-progress  | waiting in-progress  | https://shopify.dev/docs/api/usage/implementing-idempotency
    200 {"data":{"orderCreate":{"userErrors":[{"code":"IDEMPOTENCY_KEY_PARAMETER_MISMATCH"}]}}} | mismatch                  | unknown key-mismatch | unknown key-mismatch | https://shopify.dev/docs/api/usage/implementing-idempotency
    200 {"data":{"orderCreate":{"userErrors":[{"code":"INVALID"}]}}}                            | failure origin            | refused              | refused              | https://shopify.dev/docs/api/usage/implementing-idempotency
    200 {"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}]}                  | not-executed rate-limited | waiting rate-limited | waiting rate-limited | https://shopify.dev/docs/api/usage/limits
    200 {"errors":[{"message":"Internal error"}]}                                               | unknown                   | waiting backoff      | waiting backoff      | https://shopify.dev/docs/api/usage/response-codes
    `,
  ),
  ...casesOf(
    'Google AIP-155',
    provider('aip-155', { body: '/requestId' }, [
      { body: { '/error/status': 'ABORTED' }, then: { is: 'in-progress' } },
    ]),
    `
    answer                                                   | verdict                   | first                | later                | source
    200 {"name":"books/1"}                                   | success                   | succeeded            | succeeded            | aip-dev/google.aip.dev 126bed4, AIP-155
    409 {"error":{"code":409,"status":"ABORTED"}}            | in-progress               | waiting in-progress  | waiting in-progress  | aip-dev/google.aip.dev 126bed4, AIP-155
    400 {"error":{"code":400,"status":"INVALID_ARGUMENT"}}   | failure origin            | refused              | refused              | aip-dev/google.aip.dev 126bed4, AIP-155
    503 {"error":{"code":503,"status":"UNAVAILABLE"}}        | unknown                   | waiting backoff      | waiting backoff      | aip-dev/google.aip.dev 126bed4, AIP-194
    429 {"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}} | not-executed rate-limited | waiting rate-limited | waiting rate-limited | aip-dev/google.aip.dev 126bed4, AIP-194
    `,
  ),
  ...casesOf(
    'AWS',
    provider('aws', { body: '/ClientToken' }, [
      { body: { '/__type': /IdempotentParameterMismatch$/ }, then: { is: 'mismatch' } },
    ]),
    `
    answer                                                     | verdict        | first                | later                | source
    200 {"InstanceId":"i-1"}                                   | success        | succeeded            | succeeded            | https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html
    400 {"__type":"com.amazonaws#IdempotentParameterMismatch"} | mismatch       | unknown key-mismatch | unknown key-mismatch | https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html
    409 {"__type":"ConflictException"}                         | conflict       | waiting in-progress  | waiting in-progress  | https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html
    400 {"__type":"ValidationException"}                       | failure origin | refused              | refused              | https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html
    `,
  ),
  ...casesOf(
    'Volcengine',
    provider('volcengine', { query: 'ClientToken' }, [
      { body: { '/ResponseMetadata/Error/Code': /^InvalidIdempotency/ }, then: { is: 'mismatch' } },
    ]),
    `
    answer                                                           | verdict  | first                | later                | source
    400 {"ResponseMetadata":{"Error":{"Code":"InvalidIdempotency"}}} | mismatch | unknown key-mismatch | unknown key-mismatch | https://www.volcengine.com/docs/6410/1160436: expired or other parameters, one code
    `,
  ),
  ...casesOf(
    'Mollie',
    provider('mollie', { header: 'idempotency-key' }, [...idempotencyKey().rules, ANY_409]),
    `
    answer                                        | verdict          | first               | later               | source
    201 {"id":"tr_1"} · Idempotent-Replayed: true | success replayed | succeeded           | succeeded           | mollie/api-documentation
    409 {"status":409,"title":"Conflict"}         | in-progress      | waiting in-progress | waiting in-progress | mollie/api-documentation
    400 {"status":400,"title":"Bad Request"}      | failure origin   | refused             | refused             | mollie/api-documentation: other parameters, or any bad request
    `,
  ),
  ...casesOf(
    'Modern Treasury',
    provider('modern-treasury', { header: 'idempotency-key' }, [ANY_409]),
    `
    answer                                      | verdict        | first               | later               | source
    201 {"id":"po_1","object":"payment_order"}  | success        | succeeded           | succeeded           | https://docs.moderntreasury.com/reference/idempotent-requests
    409 {"errors":{"code":"conflict"}}          | in-progress    | waiting in-progress | waiting in-progress | https://docs.moderntreasury.com/reference/idempotent-requests
    422 {"errors":{"code":"parameter_invalid"}} | failure origin | refused             | refused             | https://docs.moderntreasury.com/reference/idempotent-requests: only successes are saved
    `,
  ),
  ...casesOf(
    'Increase',
    provider('increase', { header: 'idempotency-key' }, [
      ...idempotencyKey().rules.filter(({ then }) => then.is === 'success'),
      { body: { '/type': 'idempotency_key_already_used_error' }, then: { is: 'mismatch' } },
    ]),
    `
    answer                                                              | verdict          | first                | later                | source
    200 {"id":"a"} · Idempotent-Replayed: true                          | success replayed | succeeded            | succeeded            | https://increase.com/documentation/idempotency-keys.md
    409 {"type":"idempotency_key_already_used_error","resource_id":"a"} | mismatch         | unknown key-mismatch | unknown key-mismatch | https://increase.com/documentation/idempotency-keys.md
    409 {"type":"invalid_operation_error"}                              | conflict         | waiting in-progress  | waiting in-progress  | https://increase.com/documentation/idempotency-keys.md
    `,
  ),
  ...casesOf(
    'Qonto',
    provider('qonto', { header: 'x-qonto-idempotency-key' }, [], { ttlMs: 1_800_000 }),
    `
    answer                      | verdict | first           | later           | source
    200 {"transfer":{"id":"a"}} | success | succeeded       | succeeded       | https://docs.qonto.com/get-started/general/idempotent-requests: another body gets this too
    500                         | unknown | waiting backoff | waiting backoff | https://docs.qonto.com/get-started/general/idempotent-requests: only successes are cached
    `,
  ),
  ...casesOf(
    'Checkout.com',
    provider('checkout-com', { header: 'cko-idempotency-key' }, [ANY_409], {
      pace: { minDelayMs: 30_000 },
    }),
    `
    answer             | verdict                   | first                         | later                         | source
    201 {"id":"pay_1"} | success                   | succeeded                     | succeeded                     | https://www.checkout.com/docs/payments/manage-payments/idempotency
    409                | in-progress               | waiting in-progress 30000 ms  | waiting in-progress 30000 ms  | https://www.checkout.com/docs/payments/manage-payments/idempotency
    429                | not-executed rate-limited | waiting rate-limited 30000 ms | waiting rate-limited 30000 ms | https://www.checkout.com/docs/payments/manage-payments/idempotency: formerly in progress
    no answer          |                           | waiting backoff 30000 ms      | waiting backoff 30000 ms      | https://www.checkout.com/docs/payments/manage-payments/idempotency: wait at least 30 s
    `,
  ),
  ...casesOf(
    'Amazon Pay',
    provider('amazon-pay', { header: 'x-amz-pay-idempotency-key' }, [
      { body: { '/reasonCode': 'DuplicateIdempotencyKey' }, then: { is: 'mismatch' } },
    ]),
    `
    answer                                       | verdict  | first                | later                | source
    201 {"chargeId":"a"}                         | success  | succeeded            | succeeded            | https://developer.amazon.com/docs/amazon-pay-api-v2/idempotency.html
    400 {"reasonCode":"DuplicateIdempotencyKey"} | mismatch | unknown key-mismatch | unknown key-mismatch | https://developer.amazon.com/docs/amazon-pay-api-v2/idempotency.html
    `,
  ),
  ...casesOf(
    'Razorpay X',
    provider('razorpay-x', { header: 'x-payout-idempotency' }, [
      { status: 400, body: { '/error/description': /idempoten/i }, then: { is: 'mismatch' } },
    ]),
    `
    answer                                                                                                                 | verdict        | first                | later                | source
    200 {"id":"pout_1","status":"processing"}                                                                              | success        | succeeded            | succeeded            | https://razorpay.com/docs/api/x/payout-idempotency/make-request
    400 {"error":{"code":"BAD_REQUEST_ERROR","description":"Different request body sent for the same Idempotency Header"}} | mismatch       | unknown key-mismatch | unknown key-mismatch | https://razorpay.com/docs/api/x/payout-idempotency/make-request
    400 {"error":{"code":"BAD_REQUEST_ERROR","description":"The amount must be at least 1"}}                               | failure origin | refused              | refused              | https://razorpay.com/docs/api/x/payout-idempotency/make-request
    `,
  ),
  ...casesOf(
    'Open Banking UK',
    provider('open-banking-uk', { header: 'x-idempotency-key' }, [], {
      pace: { minDelayMs: 1_000 },
    }),
    `
    answer                                                | verdict | first                   | later                   | source
    201 {"Data":{"Status":"AcceptedSettlementInProcess"}} | success | succeeded               | succeeded               | OpenBankingUK/read-write-api-docs-pub v3.1.11: with the current status
    500                                                   | unknown | waiting backoff 1000 ms | waiting backoff 1000 ms | OpenBankingUK/read-write-api-docs-pub v3.1.11: duplicates at least 1 s apart
    `,
  ),
  ...casesOf(
    'Worldline',
    provider('worldline', { header: 'x-gcs-idempotence-key' }, [
      {
        status: { from: 200, to: 299 },
        header: { 'x-gcs-idempotence-request-timestamp': /^\d+$/ },
        then: { is: 'success', replayed: true },
      },
      ANY_409,
    ]),
    `
    answer                                                                  | verdict          | first               | later               | source
    201 {"payment":{}}                                                      | success          | succeeded           | succeeded           | https://apireference.connect.worldline-solutions.com/s2sapi/v1/en_US/go/idempotent-requests.html
    201 {"payment":{}} · X-GCS-Idempotence-Request-Timestamp: 1458032710513 | success replayed | succeeded           | succeeded           | https://apireference.connect.worldline-solutions.com/s2sapi/v1/en_US/go/idempotent-requests.html
    409 {"errors":[{"code":"1409"}]}                                        | in-progress      | waiting in-progress | waiting in-progress | https://apireference.connect.worldline-solutions.com/s2sapi/v1/en_US/go/idempotent-requests.html
    `,
  ),
  ...casesOf(
    'Alipay',
    provider('alipay', { body: '/biz_content/out_trade_no' }, [
      { body: { '/response/code': '10000' }, then: { is: 'success' } },
      {
        body: { '/response/sub_code': 'ACQ.TRADE_HAS_SUCCESS' },
        then: { is: 'success', replayed: true },
      },
      { body: { '/response/sub_code': 'ACQ.DUP_OUT_ORDER' }, then: { is: 'mismatch' } },
      { body: { '/response/sub_code': 'ACQ.SYSTEM_ERROR' }, then: { is: 'unknown' } },
      { body: { '/response/sub_code': /./ }, then: { is: 'failure', said: 'origin' } },
      { then: { is: 'unknown' } },
    ]),
    `
    answer                                                                      | verdict          | first                | later                | source
    200 {"response":{"code":"10000","trade_no":"1"}}                            | success          | succeeded            | succeeded            | https://opendocs.alipay.com, alipay.trade.pay
    200 {"response":{"code":"40004","sub_code":"ACQ.TRADE_HAS_SUCCESS"}}        | success replayed | succeeded            | succeeded            | https://opendocs.alipay.com, alipay.trade.pay (as reported)
    200 {"response":{"code":"40004","sub_code":"ACQ.DUP_OUT_ORDER"}}            | mismatch         | unknown key-mismatch | unknown key-mismatch | https://opendocs.alipay.com, alipay.trade.pay (as reported)
    200 {"response":{"code":"20000","sub_code":"ACQ.SYSTEM_ERROR"}}             | unknown          | waiting backoff      | waiting backoff      | https://opendocs.alipay.com, alipay.trade.pay (as reported)
    200 {"response":{"code":"40004","sub_code":"ACQ.BUYER_BALANCE_NOT_ENOUGH"}} | failure origin   | refused              | refused              | https://opendocs.alipay.com, alipay.trade.pay (as reported)
    `,
  ),
]
