import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { HEADERS } from '@public-api/contract/terms/headers'
import { SIGNATURE_MAX_AGE_SECONDS } from '@public-api/contract/terms/limits'
import type { Received } from '../verifying/requests.ts'
import { ageOf } from '../verifying/sanitize-for-terminal.ts'
import type { Check } from './check.ts'
import type { Report } from './findings.ts'
import { listOf } from './header-lists.ts'
import type { Survey } from './probe-deployment.ts'

const TARGET = ENDPOINTS.status.path
const COMPONENTS = '("@method";req "@target-uri";req "@status" "content-digest")'
const ASKED = `svc=${COMPONENTS};created;expires;tag="svc-response"`
/** Clocks of machines may differ this much. */
const MAX_AHEAD_SECONDS = 60

/** A signature by RFC 9421 as the service writes it for `ASKED`. */
const INPUT =
  /^svc=(?<parameters>\("@method";req "@target-uri";req "@status" "content-digest"\);created=(?<created>\d{1,15});expires=\d{1,15};keyid="(?<keyId>[\w-]{43})";alg="ed25519"(?:;nonce="(?<nonce>[\w-]{1,64})")?;tag="svc-response")$/
const SIGNATURE = /^svc=:(?<base64>[A-Za-z0-9+/]{86}==):$/

function isSigned({ field }: Received): boolean {
  return (
    field(HEADERS.signatureInput) !== undefined || field(HEADERS.messageSignature) !== undefined
  )
}

/** The signature of a response; undefined if it has none, or another form. */
function parseSignature({ field }: Received) {
  const input = INPUT.exec(field(HEADERS.signatureInput) ?? '')?.groups
  const base64 = SIGNATURE.exec(field(HEADERS.messageSignature) ?? '')?.groups?.['base64']
  if (input === undefined || base64 === undefined) return undefined
  const { parameters = '', created = '', keyId = '', nonce } = input
  return { parameters, createdSeconds: Number(created), keyId, nonce, base64 }
}

/** Whether a response's signature is of this target URI. */
async function isOfUri(
  { method, status, field }: Received,
  { parameters, keyId, base64 }: NonNullable<ReturnType<typeof parseSignature>>,
  uri: string,
  keys: Survey['keys'],
): Promise<boolean> {
  const base = [
    `"@method";req: ${method}`,
    `"@target-uri";req: ${uri}`,
    `"@status": ${status}`,
    `"content-digest": ${field(HEADERS.contentDigest) ?? ''}`,
    `"@signature-params": ${parameters}`,
  ].join('\n')
  const key = keys.find((each) => each.keyId === keyId)
  return key !== undefined && (await key.isSignatureOf(base, base64))
}

/** Checks a signed response: the signature, the URI that it covers, and its age. */
async function inspect(
  response: Received,
  where: string,
  { probe, keys, skewMs }: Survey,
  report: Report,
): Promise<void> {
  const signature = parseSignature(response)
  const uri = probe.origin + response.target
  if (signature === undefined || !(await isOfUri(response, signature, uri, keys))) {
    const otherScheme = uri.replace(
      /^http(s?):/,
      (_all, s: string) => `http${s === '' ? 's' : ''}:`,
    )
    const isOther =
      signature !== undefined && (await isOfUri(response, signature, otherScheme, keys))
    if (isOther) report('message-signature-uri', where, `the signature is of ${otherScheme}`)
    else report('message-signature-wrong', where, `not valid for ${uri} and the published keys`)
    return
  }
  const ageSeconds = (response.receivedAtMs + skewMs) / 1000 - signature.createdSeconds
  if (ageSeconds > SIGNATURE_MAX_AGE_SECONDS || ageSeconds < -MAX_AHEAD_SECONDS) {
    const made = ageSeconds < 0 ? `in ${-Math.round(ageSeconds)} s` : `${ageOf(ageSeconds)} ago`
    report('message-signature-time', where, `created ${made}`)
  }
}

/**
 * Checks signatures by RFC 9421: on request, for the URI that a client requested, past caches and through them, and never
 * without a request, on HEAD or on 304.
 */
export const checkMessageSignatures: Check = async (survey, report) => {
  const { of, probe, isSigningOff, isSameRegistry } = survey
  const plain = of(TARGET)
  if (isSigningOff) return 'the service does not sign'
  if (plain?.verification.verified === undefined) return `GET ${TARGET} does not verify`
  const { response } = plain
  const isOffered = listOf(response.field(HEADERS.vary)).includes('accept-signature')
  if (!isOffered && !isSameRegistry) return 'this version of the service does not offer them'

  const ask = (accept: string, more: object = {}, method: 'GET' | 'HEAD' = 'GET') =>
    probe.ask(
      { method, target: TARGET, headers: { [HEADERS.acceptSignature]: accept, ...more } },
      1,
    )
  const nonce = `doctor-${Math.random().toString(36).slice(2, 12)}`
  const once = await ask(`${ASKED};nonce="${nonce}"`)
  const withNonce = `GET ${TARGET} (Accept-Signature with a nonce)`
  const needed = [HEADERS.signatureInput, HEADERS.messageSignature]
  const dropped = needed.filter((name) => once.field(name) === undefined)
  if (dropped.length > 0) {
    report('message-signature-missing', withNonce, `no ${dropped.join(', no ')}`)
    return undefined
  }
  const parsed = parseSignature(once)
  if (parsed !== undefined && parsed.nonce !== nonce) {
    report('message-signature-stored', withNonce, 'a response to another request')
  } else if (!listOf(once.field(HEADERS.cacheControl)).includes('no-store')) {
    const found = once.field(HEADERS.cacheControl) ?? 'no Cache-Control'
    report('message-signature-stored', withNonce, found)
  }
  await inspect(once, withNonce, survey, report)

  const asked = await ask(ASKED)
  const through = `GET ${TARGET} (Accept-Signature)`
  if (isSigned(asked)) await inspect(asked, through, survey, report)
  else report('message-signature-vary', through, 'the stored response to another request')
  const without = await probe.ask({ method: 'GET', target: TARGET }, 3)
  if (isSigned(response) || isSigned(without)) {
    report('message-signature-vary', `GET ${TARGET}`, `${HEADERS.signatureInput} without a request`)
  }

  const derived = [
    [`HEAD ${TARGET} (Accept-Signature)`, await ask(ASKED, {}, 'HEAD')],
    [
      `GET ${TARGET} (Accept-Signature, If-None-Match)`,
      await ask(ASKED, { [HEADERS.ifNoneMatch]: response.field(HEADERS.etag) ?? '*' }),
    ],
  ] as const
  for (const [where, { status, field }] of derived) {
    const isWhole = status === 200 && where.startsWith('GET')
    if (isWhole || field(HEADERS.messageSignature) === undefined) continue
    report('message-signature-derived', where, HEADERS.messageSignature)
  }
  return undefined
}
