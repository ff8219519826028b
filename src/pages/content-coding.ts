import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Content codings the pages are sent in, the one that makes them smallest first (RFC 9110 8.4.1, RFC 7932). */
const CODINGS = ['br', 'gzip', 'identity'] as const

export type ContentCoding = (typeof CODINGS)[number]

/** High enough to be near the smallest. */
const BROTLI_QUALITY = 9

/**
 * Bits of the window: 64 kB, which holds every page. From 17 on the encoder sets up tables of megabytes for each text, which
 * takes five to twenty times as long and saves nothing.
 */
const BROTLI_WINDOW_BITS = 16

function choose(acceptEncoding: string): ContentCoding {
  const weights = new Map(
    acceptEncoding.split(',').map((element) => {
      const [coding = '', ...parameters] = element
        .split(';')
        .map((part) => part.trim().toLowerCase())
      const weight = parameters.find((part) => part.startsWith('q='))
      return [coding, weight === undefined ? 1 : Number(weight.slice(2))]
    }),
  )
  const found = CODINGS.find((coding) => (weights.get(coding) ?? weights.get('*') ?? 0) > 0)
  return found ?? 'identity'
}

/** Clients send few different values. Others are handled without being cached. */
const MAX_REMEMBERED = 64
const MAX_REMEMBERED_LENGTH = 100
const remembered = new Map<string, ContentCoding>()

/**
 * The coding to select for an Accept-Encoding (RFC 9110 12.5.3): the smallest that it does not refuse. A weight above 0
 * counts as wanted, since none of them costs anything once the page is made.
 */
export function codingOf(acceptEncoding: string | undefined): ContentCoding {
  if (acceptEncoding === undefined) return 'identity'
  const known = remembered.get(acceptEncoding)
  if (known !== undefined) return known
  const coding = choose(acceptEncoding)
  if (remembered.size < MAX_REMEMBERED && acceptEncoding.length <= MAX_REMEMBERED_LENGTH) {
    remembered.set(acceptEncoding, coding)
  }
  return coding
}

/** Bytes in a content coding. */
export function encode(bytes: Buffer, coding: ContentCoding): Buffer {
  if (coding === 'gzip') return gzipSync(bytes, { level: 9 })
  if (coding === 'identity') return bytes
  return brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })
}
