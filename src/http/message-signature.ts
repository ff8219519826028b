import { SIGNATURE_MAX_AGE_SECONDS } from '@public-api/contract/registry/limits'
import { type BareItem, type Item, parseDictionary, type Parameters } from 'structured-headers'
import type { ResponseSigner } from '../crypto/response-signer.ts'

// RFC 9421 on request (contract decisions section 14). Only one set of components is signed, so that no request can make
// the key sign a text of its choice. Every signature base begins with a quote, and every other signed text with `svc-`.

/** The components, as identifiers with their parameters. */
const COMPONENTS: ReadonlySet<string> = new Set([
  '"@method";req',
  '"@target-uri";req',
  '"@status"',
  '"content-digest"',
])
const TAG = 'svc-response'
const ALGORITHM = 'ed25519'
const NONCE = /^[A-Za-z0-9_-]{1,64}$/
/** Far above the longest value that asks for these components. */
const MAX_FIELD_LENGTH = 512

/** A signature that a request asks for. */
export interface RequestedSignature {
  readonly label: string
  /** Component identifiers in the requested order. */
  readonly components: readonly string[]
  readonly nonce: string | undefined
}

/** The identifier of a component with its parameters; undefined for one that is never signed. */
function identifierOf([value, parameters]: Item): string | undefined {
  const flags = [...parameters].map(([name, flag]) => (flag === true ? `;${name}` : ';?'))
  const identifier = `${JSON.stringify(value)}${flags.join('')}`
  return COMPONENTS.has(identifier) ? identifier : undefined
}

/** Whether a parameter asks for what the service signs with. */
function isParameterMet(name: string, value: BareItem, keyId: string): boolean {
  switch (name) {
    case 'created':
    case 'expires':
      return value === true
    case 'alg':
      return value === ALGORITHM
    case 'keyid':
      return value === keyId
    case 'tag':
      return value === TAG
    case 'nonce':
      return typeof value === 'string' && NONCE.test(value)
    default:
      return false
  }
}

/**
 * The signature that an Accept-Signature value asks for; undefined for every value that asks for anything else, which RFC
 * 9421 section 5.2 allows to ignore.
 */
export function parseAcceptSignature(value: string, keyId: string): RequestedSignature | undefined {
  if (value.length > MAX_FIELD_LENGTH) return undefined
  let members: ReturnType<typeof parseDictionary>
  try {
    members = parseDictionary(value)
  } catch {
    return undefined
  }
  const [member, ...others] = members
  if (member === undefined || others.length > 0) return undefined
  const [label, [items, parameters]] = member
  if (!Array.isArray(items)) return undefined
  const components = items.map(identifierOf)
  const isWhole =
    components.length === COMPONENTS.size && new Set(components).size === COMPONENTS.size
  if (!isWhole || !components.every((each) => each !== undefined)) return undefined
  if (![...parameters].every(([name, each]) => isParameterMet(name, each, keyId))) return undefined
  return { label, components, nonce: nonceOf(parameters) }
}

function nonceOf(parameters: Parameters): string | undefined {
  const nonce = parameters.get('nonce')
  return typeof nonce === 'string' ? nonce : undefined
}

/** The signed parts of a response. */
export interface SignedMessage {
  readonly method: string
  /** Own origin and the request target as received. Never the received Host, which proxies change. */
  readonly targetUri: string
  readonly status: number
  readonly contentDigest: string
  readonly nowMs: number
}

/** The values of Signature-Input and Signature (RFC 9421 sections 2.5 and 4). */
export function signMessage(
  { label, components, nonce }: RequestedSignature,
  { method, targetUri, status, contentDigest, nowMs }: SignedMessage,
  keyId: string,
  signer: ResponseSigner,
): { readonly input: string; readonly signature: string } {
  const values: { readonly [component: string]: string | number } = {
    '"@method";req': method,
    '"@target-uri";req': targetUri,
    '"@status"': status,
    '"content-digest"': contentDigest,
  }
  const created = Math.floor(nowMs / 1000)
  const expires = created + SIGNATURE_MAX_AGE_SECONDS
  const once = nonce === undefined ? '' : `;nonce="${nonce}"`
  const parameters = `(${components.join(' ')});created=${created};expires=${expires};keyid="${keyId}";alg="${ALGORITHM}"${once};tag="${TAG}"`
  const lines = components.map((component) => `${component}: ${values[component]}`)
  const base = [...lines, `"@signature-params": ${parameters}`].join('\n')
  return { input: `${label}=${parameters}`, signature: `${label}=:${signer.sign(base)}:` }
}
