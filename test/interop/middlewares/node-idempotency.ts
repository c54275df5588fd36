import type { IdempotencyParams } from '@node-idempotency/core'
import { Idempotency, IdempotencyError, IdempotencyErrorCodes } from '@node-idempotency/core'
import { MemoryStorageAdapter } from '@node-idempotency/storage-adapter-memory'
import { RedisStorageAdapter } from '@node-idempotency/storage-adapter-redis'
import type { Request, RequestHandler } from 'express'
import type { Middleware } from './main.ts'

/** The statuses that its plugin for express answers with. */
const STATUS: Readonly<Record<string, number>> = {
  [IdempotencyErrorCodes.REQUEST_IN_PROGRESS]: 409,
  [IdempotencyErrorCodes.IDEMPOTENCY_FINGERPRINT_MISSMATCH]: 422,
}

/** @node-idempotency/core with the adapter for Redis where there is an address, else in memory. */
export async function nodeIdempotency(redisUrl: string | undefined): Promise<Middleware> {
  const storage = await adapter(redisUrl)
  const idempotency = new Idempotency(storage, { enforceIdempotency: true })

  const handler: RequestHandler = async (request, response, next) => {
    const params = paramsOf(request)
    try {
      const first = await idempotency.onRequest(params)
      if (first) {
        response.setHeader('idempotent-replayed', 'true')
        response.type(String(first.additional?.type))
        response.status(Number(first.additional?.status)).send(first.body)
        return
      }
    } catch (error) {
      if (!(error instanceof IdempotencyError)) throw error
      const { code, message } = error
      if (code === IdempotencyErrorCodes.REQUEST_IN_PROGRESS) response.setHeader('retry-after', '1')
      response.status(STATUS[code] ?? 400).json({ code, message })
      return
    }
    const send = response.send.bind(response)
    response.send = body => {
      const additional = { status: response.statusCode, type: response.get('content-type') }
      idempotency.onResponse(params, { body, additional }).then(
        () => send(body),
        error => next(error),
      )
      return response
    }
    next()
  }
  return { handler, answered: () => false }
}

async function adapter(
  url: string | undefined,
): Promise<MemoryStorageAdapter | RedisStorageAdapter> {
  if (url === undefined) return new MemoryStorageAdapter()
  const redis = new RedisStorageAdapter({ url })
  await redis.connect()
  return redis
}

function paramsOf(request: Request): IdempotencyParams {
  const { headers, originalUrl, method, body } = request
  return { headers, path: originalUrl, method, body }
}
