import { propertyOf } from '@public-api/contract/json/property-of'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { DAY_MS } from '@public-api/contract/text/instant'
import type { Check } from './check.ts'
import { DOCTOR_BOUNDS } from './doctor-bounds.ts'

const WHERE = `GET ${ENDPOINTS.signingKey.path}`

function textIn(value: unknown, name: string): string | undefined {
  const text = propertyOf(value, name)
  return typeof text === 'string' ? text : undefined
}

function entriesOf(data: unknown) {
  const keys = propertyOf(data, 'keys')
  if (!Array.isArray(keys)) return []
  return keys.map((key: unknown) => ({
    keyId: textIn(key, 'keyId'),
    status: textIn(key, 'status'),
    notAfter: textIn(key, 'notAfter'),
  }))
}

/** Checks the signing-key document: current signer, pins, announced key, and its record in DNS. */
export const checkKeys: Check = async (survey, report, settings) => {
  const { of, keys, observed, isSigningOff } = survey
  const { pinnedKeyIds: pins, hasKeyRecord, nowMs } = settings
  if (isSigningOff) return 'the deployment does not sign'
  const document = of(ENDPOINTS.signingKey.path)
  if (document === undefined || !document.isAsPromised) return 'there is no signing-key document'
  if (keys.length === 0) {
    report('key-document-unusable', WHERE, 'no key that can be used')
    return undefined
  }
  const data = propertyOf(document.content, 'data')
  const entries = entriesOf(data)
  const computed = new Set(keys.map(({ keyId }) => keyId))
  const stated = [textIn(data, 'keyId'), ...entries.map(({ keyId }) => keyId)]
  const wrong = stated.findIndex((keyId) => keyId === undefined || !computed.has(keyId))
  if (wrong !== -1) {
    report(
      'key-id-wrong',
      WHERE,
      `${stated[wrong] ?? 'no id'} does not match a key in the document`,
    )
    return undefined
  }
  const current = entries.find(({ status }) => status === 'current')?.keyId
  for (const { where, verification } of observed) {
    const signer = verification.verified?.keyId
    if (signer !== undefined && signer !== current) {
      report('key-not-current', where, `signed by ${signer}, current is ${current}`)
    }
  }
  const next = entries.find(({ status }) => status === 'next')?.keyId
  const end = entries.find(({ status }) => status === 'current')?.notAfter
  const daysLeft = end === undefined ? Infinity : (Date.parse(end) - nowMs()) / DAY_MS
  if (daysLeft >= 0 && daysLeft < DOCTOR_BOUNDS.keyNoticeDays) {
    const announced = next === undefined ? 'no next key is announced' : 'a next key is announced'
    report('key-ends-soon', WHERE, `in use until ${end}; ${announced}`)
  }
  if (hasKeyRecord === false) report('keys-not-published', WHERE, 'no usable TXT record in DNS')
  if (pins === undefined) report('not-pinned', WHERE, current ?? 'no current key')
  else if (current === undefined || !pins.includes(current)) {
    report('pin-mismatch', WHERE, `the current key is ${current}`)
  } else if (next !== undefined && !pins.includes(next)) {
    report('next-not-pinned', WHERE, `the next key is ${next}`)
  }
  return undefined
}
