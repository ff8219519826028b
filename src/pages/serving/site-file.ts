import { HEADERS } from '@public-api/contract/terms/headers'
import type { Locale } from '@public-api/contract/terms/locales'
import { sha256Base64url } from '../../crypto/sha256.ts'
import type { ApiRequest, Reply } from '../../http/api-request.ts'
import { matchesIfNoneMatch } from '../../http/conditional.ts'
import { codingOf, type ContentCoding, encode } from './content-coding.ts'

export const NO_CACHING = 'no-store'

/** Describes a file. Its bytes are created once, at the first request. */
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
  readonly make: () => string | Uint8Array
}

/** Serves GET and HEAD of one file; the caller refuses other methods. */
export type SiteFile = (request: ApiRequest) => Reply

/**
 * A file, cached in memory in every requested coding with its responses. Its entity tag is strong and belongs to the
 * coding (RFC 9110 8.8.3).
 */
export function createSiteFile(options: SiteFileOptions): SiteFile {
  const { status = 200, contentType, contentLanguage, cacheControl, headers, make } = options
  const vary = ['Accept-Encoding', ...(options.varies ?? [])].join(', ')
  let identity: Buffer | undefined
  const prepared = new Map<ContentCoding, ReturnType<typeof prepare>>()

  function prepare(coding: ContentCoding) {
    identity ??= Buffer.from(make() as string)
    const body = encode(identity, coding)
    const etag = `"${sha256Base64url(identity.toString('latin1')).slice(0, 27)}-${coding}"`
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
    const made = {
      etag,
      whole,
      head: { ...whole, body: undefined },
      notModified: { status: 304, headers: kept, body: undefined },
    }
    prepared.set(coding, made)
    return made
  }

  return (request) => {
    // A PNG is compressed already.
    const accepted = contentType === 'image/png' ? undefined : request.header('accept-encoding')
    const coding = codingOf(accepted)
    const file = prepared.get(coding) ?? prepare(coding)
    if (status === 200 && matchesIfNoneMatch(request.header('if-none-match'), file.etag)) {
      return file.notModified
    }
    return request.method === 'HEAD' ? file.head : file.whole
  }
}
