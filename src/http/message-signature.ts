import { HEADERS } from '@public-api/contract/terms/headers'
import { SIGNATURE_MAX_AGE_SECONDS } from '@public-api/contract/terms/limits'
import { type BareItem, type Item, parseDictionary, type Parameters } from 'structured-headers'
import type { ResponseSigner } from '../crypto/response-signer.ts'

// RFC 9421 on request (contract decisions sections 14 and 18). Only two sets of components are signed, so that no request
// can make the key sign a text of its choice. Every signature base begins with a quote, and every other signed text with
// `svc-`.

const BODY_DIGEST = '"content-digest"'
const UNENCODED_DIGEST = '"unencoded-digest";sf'
const MESSAGE_COMPONENTS = ['"@method";req', '"@target-uri";req', '"@status"'] as const

const TAGS = {
  /** The components that a client lists one by one. */
  response: 'svc-response',
  /** What browsers ask for when a page passes `integrity: 'ed25519-…'` to fetch (WICG, Signature-based Integrity). */
  integrity: 'ed25519-integrity',
} as const

const ALGORITHM = 'ed25519'
const NONCE = /^[A-Za-z0-9_-]{1,64}$/
/** Far above the longest value that asks for both sets. */
const MAX_FIELD_LENGTH = 512

/** What signs responses. */
export interface MessageSigning {
  readonly signer: ResponseSigner
  /** RFC 7638 thumbprint. */
  readonly keyId: string
  /** The raw public key (RFC 8032), standard base64. */
  readonly publicKey: string
  /** Own origin. Never the received Host, which proxies change. */
  readonly origin: string
}

/** A signature that a request asks for. */
interface RequestedSignature {
  readonly label: string
  readonly tag: (typeof TAGS)[keyof typeof TAGS]
  /** Component identifiers in the order in which they are signed. */
  readonly components: readonly string[]
  readonly nonce: string | undefined
}

/** The identifier of a component with its parameters. */
function identifierOf([value, parameters]: Item): string {
  const flags = [...parameters].map(([name, flag]) => (flag === true ? `;${name}` : ';?'))
  return `${JSON.stringify(value)}${flags.join('')}`
}

/** Whether the parameters ask only for what the service signs with. */
function areParametersMet(parameters: Parameters, tag: string, keyName: string): boolean {
  const isMet: { readonly [name: string]: (value: BareItem) => boolean } = {
    created: (value) => value === true,
    expires: (value) => value === true,
    alg: (value) => value === ALGORITHM,
    keyid: (value) => value === keyName,
    tag: (value) => value === tag,
    nonce: (value) => typeof value === 'string' && NONCE.test(value),
  }
  return [...parameters].every(([name, value]) => isMet[name]?.(value) === true)
}

function parseMember(
  label: string,
  items: readonly Item[],
  parameters: Parameters,
  { keyId, publicKey }: MessageSigning,
): RequestedSignature | undefined {
  const asked = items.map(identifierOf)
  const nonce = parameters.get('nonce')
  const made = { label, nonce: typeof nonce === 'string' ? nonce : undefined }
  if (asked.length === 1 && asked[0] === UNENCODED_DIGEST) {
    const isIntegrity = parameters.has('keyid') && parameters.has('tag')
    if (!isIntegrity || !areParametersMet(parameters, TAGS.integrity, publicKey)) return undefined
    return { ...made, tag: TAGS.integrity, components: [...MESSAGE_COMPONENTS, UNENCODED_DIGEST] }
  }
  const signed: readonly string[] = [...MESSAGE_COMPONENTS, BODY_DIGEST]
  const isWhole = asked.length === signed.length && signed.every((each) => asked.includes(each))
  if (!isWhole || !areParametersMet(parameters, TAGS.response, keyId)) return undefined
  return { ...made, tag: TAGS.response, components: asked }
}

/**
 * The signatures that an Accept-Signature value asks for, at most one for each set of components. A member that asks for
 * anything else is ignored, as RFC 9421 section 5.2 allows, and so are two that ask for the same set.
 */
function parseAcceptSignature(
  value: string,
  signing: MessageSigning,
): readonly RequestedSignature[] {
  if (value.length > MAX_FIELD_LENGTH) return []
  let members: ReturnType<typeof parseDictionary>
  try {
    members = parseDictionary(value)
  } catch {
    return []
  }
  const requested = [...members].flatMap(([label, [items, parameters]]) => {
    const signature = Array.isArray(items)
      ? parseMember(label, items, parameters, signing)
      : undefined
    return signature === undefined ? [] : [signature]
  })
  return requested.filter(({ tag }) => requested.filter((each) => each.tag === tag).length === 1)
}

/**
 * Signs a response (RFC 9421 section 2.5) once for each signature that an Accept-Signature value asks for. Returns the
 * headers, and whether one contains a nonce, so that the response answers this request alone.
 */
export function signMessage(
  accepted: string,
  message: {
    readonly method: string
    /** The request target as received. */
    readonly target: string
    readonly status: number
    readonly contentDigest: string
    readonly nowMs: number
  },
  signing: MessageSigning,
): { readonly headers: readonly string[]; readonly hasNonce: boolean } {
  const requested = parseAcceptSignature(accepted, signing)
  if (requested.length === 0) return { headers: [], hasNonce: false }
  const { method, target, status, contentDigest, nowMs } = message
  const { signer, keyId, publicKey, origin } = signing
  const values: { readonly [component: string]: string | number } = {
    '"@method";req': method,
    '"@target-uri";req': origin + target,
    '"@status"': status,
    [BODY_DIGEST]: contentDigest,
    // The service sends no content coding, so both digests cover the same bytes in the same format (RFC 9530).
    [UNENCODED_DIGEST]: contentDigest,
  }
  const created = Math.floor(nowMs / 1000)
  const expires = created + SIGNATURE_MAX_AGE_SECONDS
  const signed = requested.map(({ label, tag, components, nonce }) => {
    const once = nonce === undefined ? '' : `;nonce="${nonce}"`
    const key = tag === TAGS.integrity ? `"${publicKey}"` : `"${keyId}";alg="${ALGORITHM}"`
    const parameters = `(${components.join(' ')});created=${created};expires=${expires};keyid=${key}${once};tag="${tag}"`
    const lines = components.map((component) => `${component}: ${values[component]}`)
    const base = [...lines, `"@signature-params": ${parameters}`].join('\n')
    return { input: `${label}=${parameters}`, signature: `${label}=:${signer.sign(base)}:` }
  })
  const headers = [
    HEADERS.signatureInput,
    signed.map(({ input }) => input).join(', '),
    HEADERS.messageSignature,
    signed.map(({ signature }) => signature).join(', '),
  ]
  if (requested.some(({ tag }) => tag === TAGS.integrity)) {
    headers.unshift(HEADERS.unencodedDigest, contentDigest)
  }
  return { headers, hasNonce: requested.some(({ nonce }) => nonce !== undefined) }
}
