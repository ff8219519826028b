import { UsageError } from '@public-api/cli-kit/command'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { BASE_PATH } from '@public-api/contract/terms/api-version'

/** A URL, split without changing its target. */
export interface Address {
  /** Scheme and authority, as `URL` writes them. */
  readonly origin: string
  /** Path and query as typed, without the fragment; a lone question mark counts, because it is signed. */
  readonly target: string
}

const ADDRESS = /^(https?:\/\/[^/?#\\]+)([^#]*)/i
/** The characters of a request line (RFC 9112 3.2): visible ASCII. */
const TARGET = /^[\x21-\x7e]*$/

/** Whether a text can be sent as a path with a query. */
export function isTarget(text: string): boolean {
  return text.startsWith('/') && TARGET.test(text) && !text.includes('#')
}

/** Undefined for anything but an http(s) URL without a user. The target is not checked. */
function partsOf(text: string): Address | undefined {
  const [, authority, rest = ''] = ADDRESS.exec(text) ?? []
  const url = authority === undefined ? null : URL.parse(authority)
  if (url === null || url.username !== '' || url.password !== '') return undefined
  return { origin: url.origin, target: rest.startsWith('/') ? rest : `/${rest}` }
}

/** Path and query of an http(s) URL, unchanged; another text as it is. */
export function sentTargetOf(url: string): string {
  return partsOf(url)?.target ?? url
}

/**
 * Splits a URL. `URL` would resolve dots, drop a lone question mark and encode, but the signature covers the target
 * as sent.
 */
export function parseAddress(text: string): Address {
  const address = partsOf(text)
  if (address === undefined) {
    throw new UsageError(`expected a URL such as https://example.org${READ_PATHS.status}`)
  }
  if (isTarget(address.target)) return address
  throw new UsageError('the URL has characters that must be percent-encoded')
}

/** The origin of a deployment, from its URL with or without the base path. */
export function parseBase(text: string): string {
  const { origin = '', target = '' } = partsOf(text) ?? {}
  if (!text.includes('#') && ['/', BASE_PATH, `${BASE_PATH}/`].includes(target)) return origin
  throw new UsageError(
    `expected the URL of a deployment, such as https://example.org or https://example.org${BASE_PATH}`,
  )
}

const KEY_ID = /^[A-Za-z0-9_-]{43}$/

/** Key IDs given with `--pin`; undefined without the option. */
export function parsePins(pins: readonly string[] | undefined): readonly string[] | undefined {
  for (const pin of pins ?? []) {
    if (KEY_ID.test(pin)) continue
    throw new UsageError(
      '--pin expects a key ID: the RFC 7638 thumbprint of an Ed25519 key, 43 characters of base64url',
    )
  }
  return pins
}
