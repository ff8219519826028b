import { SCHEMA_IDS } from '@public-api/contract/http/envelope'
import { propertyOf } from '@public-api/contract/json/property-of'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import {
  DATA_SCHEMAS,
  ERROR_SCHEMA,
  type DataSchemaName,
} from '@public-api/contract/registry/schemas'
import { schemaMistake } from '@public-api/contract/schemas/schema-mistake'
import { API_VERSION } from '@public-api/contract/terms/api-version'
import { HEADERS, RESPONSE_CONTENT_TYPE } from '@public-api/contract/terms/headers'
import { parseInstant } from '@public-api/contract/text/instant'
import type { Check } from './check.ts'
import type { Report } from './findings.ts'
import type { Observation } from './probe-deployment.ts'

/** Checks a shape. Responses may have more fields than are described (spec 9.2), so the schemas stay open. */
function shapeFault(name: DataSchemaName | 'error', value: unknown): string | undefined {
  return schemaMistake(name === 'error' ? ERROR_SCHEMA : DATA_SCHEMAS[name], value)
}

/** The response that was received instead of the promised one. */
function reportUnpromised({ where, code, status, response, content }: Observation, report: Report) {
  const found = propertyOf(propertyOf(content, 'error'), 'code')
  const codeSuffix = typeof found === 'string' ? ` ${found}` : ''
  if (response.status === status && content === undefined && !response.isDecoded) return
  if (response.status === 503 && found === 'SNAPSHOT_UNAVAILABLE') {
    report('snapshot-unavailable', where, `503${codeSuffix}`)
  } else if (response.status === status && code !== undefined) {
    const type = response.field(HEADERS.contentType) ?? 'no type'
    report('error-replaced', where, `status ${status} with ${type}${codeSuffix}, expected ${code}`)
  } else if (response.status === status) {
    report('wrong-shape', where, 'the body is not a response of this service')
  } else {
    report('unexpected-status', where, `${response.status}${codeSuffix}, expected ${status}`)
  }
}

function reportHeaders({ where, code, response }: Observation, report: Report): void {
  const type = response.field(HEADERS.contentType)
  if (type?.toLowerCase().replaceAll(' ', '') !== RESPONSE_CONTENT_TYPE.replaceAll(' ', '')) {
    report('content-type', where, type ?? 'no Content-Type')
  }
  const version = response.field(HEADERS.apiVersion)
  if (version !== API_VERSION) report('api-version-missing', where, version ?? 'no header')
  if (code === 'METHOD_NOT_ALLOWED' && response.field(HEADERS.allow) === undefined) {
    report('allow-missing', where, 'no Allow')
  }
  if (code === 'KEY_REQUIRED' && response.field(HEADERS.wwwAuthenticate) !== 'Bearer') {
    const found = response.field(HEADERS.wwwAuthenticate)
    report('challenge-missing', where, found ?? 'no WWW-Authenticate')
  }
  if (response.field(HEADERS.requestId) === undefined) {
    report('request-id-missing', where, 'no X-Request-Id')
  }
}

/** Problems with the envelope. */
function envelopeFault({ row, code, content }: Observation): string | undefined {
  const success = row?.success
  if (code === undefined && success?.envelope === 'none') return undefined
  const schema =
    code !== undefined || success === undefined || success.envelope === 'none'
      ? SCHEMA_IDS.error
      : SCHEMA_IDS[success.envelope]
  if (propertyOf(content, 'ok') !== (code === undefined)) return `ok is not ${code === undefined}`
  if (propertyOf(content, 'schema') !== schema) return `schema is not ${schema}`
  const issuedAt = propertyOf(content, 'issuedAt')
  const isInstant = typeof issuedAt === 'string' && parseInstant(issuedAt) !== undefined
  return isInstant ? undefined : 'issuedAt is not a time'
}

/** Checks that each row of the registry responds as promised. */
export const checkRows: Check = async ({ observed, isSameRegistry, isSigningOff }, report) => {
  for (const each of observed) {
    if (!each.isAsPromised) {
      // Another check reports a tampered body. Without signing the key document is missing too, which is reported once.
      const isKeyless = isSigningOff && each.row?.path === ENDPOINTS.signingKey.path
      if (!each.isChanged && !isKeyless) reportUnpromised(each, report)
      continue
    }
    reportHeaders(each, report)
    const { where, row, code, content, isChanged } = each
    // Only a response of the service itself can have the promised shape.
    if (!isSameRegistry || isChanged) continue
    const fault =
      envelopeFault(each) ??
      (code !== undefined || row?.success === undefined
        ? shapeFault('error', propertyOf(content, 'error'))
        : shapeFault(
            row.success.data,
            row.success.envelope === 'none' ? content : propertyOf(content, 'data'),
          ))
    if (fault !== undefined) report('wrong-shape', where, fault)
  }
  return undefined
}
