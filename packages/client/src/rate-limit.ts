import { CLIENT_HEADERS } from '#contract/terms/client-headers'
import { readHeaders, type HeaderSource } from './header-fields.ts'

/** Quota of the API key, from the headers of a response. The signature does not cover these headers. */
export interface RateLimit {
  /** Requests per window. */
  readonly limit: number
  /** Requests left in this window. */
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
}

/** The quota that a response states; undefined without a key. */
export function rateLimitOf(headers: HeaderSource): RateLimit | undefined {
  const fields = readHeaders(headers)
  const limit = fields(CLIENT_HEADERS.rateLimitLimit)
  if (limit === undefined) return undefined
  return {
    limit: Number(limit),
    remaining: Number(fields(CLIENT_HEADERS.rateLimitRemaining)),
    resetSeconds: Number(fields(CLIENT_HEADERS.rateLimitReset)),
  }
}
