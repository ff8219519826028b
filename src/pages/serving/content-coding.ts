import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const [brotliOf, gzipOf] = [promisify(brotliCompress), promisify(gzip)]

/** Content codings of the pages, smallest result first (RFC 9110 8.4.1, RFC 7932). */
const CODINGS = ['br', 'gzip', 'identity'] as const

export type ContentCoding = (typeof CODINGS)[number]

/** The result is nearly as small as at the maximum level. */
const BROTLI_QUALITY = 9

/**
 * A window of 64 kB (2^16), which covers every page. With 17 or more bits the encoder allocates megabytes of tables per
 * text and takes five to twenty times as long, with the same result.
 */
const BROTLI_WINDOW_BITS = 16

/** The weight of each element of a header such as Accept (RFC 9110 12.4.2), by its name in lower case. */
export function weightsOf(header: string): ReadonlyMap<string, number> {
  return new Map(
    header.split(',').map((element) => {
      const [name = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase())
      const weight = parameters.find((part) => part.startsWith('q='))
      return [name, weight === undefined ? 1 : Number(weight.slice(2))]
    }),
  )
}

/**
 * The coding to select for an Accept-Encoding (RFC 9110 12.5.3): the smallest one accepted. Weights above 0 count the
 * same, because every coding of a page is computed once.
 */
export function codingOf(acceptEncoding = 'identity'): ContentCoding {
  const weights = weightsOf(acceptEncoding)
  const found = CODINGS.find((coding) => (weights.get(coding) ?? weights.get('*') ?? 0) > 0)
  return found ?? 'identity'
}

/** The bytes in a coding, computed in a thread of Node's pool: for a page, it takes as long as a third of rendering it. */
export function encode(bytes: Buffer, coding: Exclude<ContentCoding, 'identity'>): Promise<Buffer> {
  if (coding === 'gzip') return gzipOf(bytes, { level: 9 })
  return brotliOf(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })
}
