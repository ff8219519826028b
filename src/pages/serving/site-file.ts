import { HEADERS } from '@public-api/contract/terms/headers'
import type { Locale } from '@public-api/contract/terms/locales'
import { sha256Base64url } from '../../crypto/sha256.ts'
import type { App } from '../../http/api-request.ts'
import { matchesIfNoneMatch } from '../../http/conditional.ts'
import { codingOf, type ContentCoding, encode } from './content-coding.ts'

export const NO_CACHING = 'no-store'

/** Describes a file. Its bytes are created once, at the first request; after a failure, at the next one. */
export interface SiteFileOptions {
  readonly status?: number
  /** Media type with its charset. */
  readonly contentType: string
  /** Language of its readers (RFC 9110 8.5); undefined for machine-readable files. */
  readonly contentLanguage?: Locale
  readonly cacheControl: string
  /** Request headers that select among representations of the path, besides Accept-Encoding (RFC 9110 12.5.5). */
  readonly varies?: readonly string[]
  /** Headers beyond type, length, validators and caching: names and values alternate. */
  readonly headers: readonly string[]
  readonly make: () => string | Uint8Array | Promise<string | Uint8Array>
}

/** The value of a key, made when it is first asked for. Who asks meanwhile waits for the same one; a failure is not kept. */
function keeping<Key, Value>(make: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const kept = new Map<Key, Promise<Value>>()
  return (key) => {
    const value =
      kept.get(key) ??
      make(key).catch((error: unknown) => {
        kept.delete(key)
        throw error
      })
    kept.set(key, value)
    return value
  }
}

/**
 * GET and HEAD of a file, which rejects if it cannot be made; the caller refuses other methods. It is cached in memory in every
 * requested coding with its responses. Its entity tag is strong and belongs to the coding (RFC 9110 8.8.3).
 */
export function createSiteFile(options: SiteFileOptions): App {
  const { status = 200, contentType, contentLanguage, cacheControl, headers, make } = options
  const vary = ['Accept-Encoding', ...(options.varies ?? [])].join(', ')
  const bytesIn: (coding: ContentCoding) => Promise<Buffer> = keeping(async (coding) =>
    coding === 'identity'
      ? Buffer.from((await make()) as string)
      : encode(await bytesIn('identity'), coding),
  )
  const preparedIn = keeping(async (coding: ContentCoding) => {
    const identity = await bytesIn('identity')
    const body = await bytesIn(coding)
    const etag = `"${sha256Base64url(identity).slice(0, 27)}-${coding}"`
    // Headers of both responses, for caches (RFC 9110 15.4.5).
    const kept = [
      HEADERS.etag,
      etag,
      HEADERS.cacheControl,
      cacheControl,
      HEADERS.vary,
      vary,
      ...headers,
    ]
    const whole = {
      status,
      headers: [
        HEADERS.contentType,
        contentType,
        ...(contentLanguage === undefined ? [] : ['Content-Language', contentLanguage]),
        HEADERS.contentLength,
        String(body.length),
        ...(coding === 'identity' ? [] : [HEADERS.contentEncoding, coding]),
        ...kept,
      ],
      body,
    }
    return {
      etag,
      whole,
      head: { ...whole, body: undefined },
      notModified: { status: 304, headers: kept, body: undefined },
    }
  })

  return async (request) => {
    // A PNG is compressed already.
    const accepted = contentType === 'image/png' ? undefined : request.header('accept-encoding')
    const file = await preparedIn(codingOf(accepted))
    if (status === 200 && matchesIfNoneMatch(request.header('if-none-match'), file.etag)) {
      return file.notModified
    }
    return request.method === 'HEAD' ? file.head : file.whole
  }
}
