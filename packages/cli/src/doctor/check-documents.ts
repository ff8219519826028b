import { isDeepStrictEqual } from 'node:util'
import { createDiscoveryIndex } from '@public-api/contract/documents/discovery'
import { createPolicy } from '@public-api/contract/documents/policy'
import { propertyOf } from '@public-api/contract/json/property-of'
import { ISSUANCE } from '@public-api/contract/keys/issuance'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { OPENAPI_VERSION, REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import type { Check } from './check.ts'
import type { Report } from './findings.ts'
import type { Survey } from './probe-deployment.ts'

const WHERE_INDEX = `GET ${ENDPOINTS.index.path}`
const WHERE_POLICY = `GET ${ENDPOINTS.policy.path}`
const WHERE_OPENAPI = `GET ${ENDPOINTS.openapi.path}`

/** Names of the members that differ between two objects. */
function differencesOf(found: unknown, expected: object): readonly string[] {
  return Object.entries(expected)
    .filter(([name, value]) => !isDeepStrictEqual(propertyOf(found, name), value))
    .map(([name]) => name)
}

/** `METHOD path` of each row of an index. */
function rowsOf(index: unknown): readonly string[] {
  const endpoints = propertyOf(index, 'endpoints')
  if (!Array.isArray(endpoints)) return []
  return endpoints.map(
    (row: unknown) => `${String(propertyOf(row, 'method'))} ${String(propertyOf(row, 'path'))}`,
  )
}

/** `METHOD path` of each operation of an OpenAPI document. */
function operationsOf(document: unknown): readonly string[] {
  const paths = propertyOf(document, 'paths')
  if (typeof paths !== 'object' || paths === null) return []
  return Object.entries(paths).flatMap(([path, item]: [string, unknown]) =>
    ['get', 'post', 'put', 'delete', 'patch']
      .filter((method) => propertyOf(item, method) !== undefined)
      .map((method) => `${method.toUpperCase()} ${path}`),
  )
}

/** The data of a document; undefined if it is unavailable or was changed on the way. */
function documentAt({ of }: Survey, path: string): unknown {
  const observed = of(path)
  if (observed === undefined || !observed.isAsPromised) return undefined
  if (observed.verification.fault === 'DIGEST' || observed.verification.fault === 'SIGNATURE')
    return undefined
  return path === ENDPOINTS.openapi.path ? observed.content : propertyOf(observed.content, 'data')
}

function compareWithTables(index: unknown, policy: unknown, report: Report): void {
  const tables = {
    registry: ENDPOINTS,
    runtime: 'production',
    registryVersion: REGISTRY_VERSION,
    issuance: ISSUANCE,
  } as const
  const inIndex = differencesOf(index, createDiscoveryIndex(tables))
  if (index !== undefined && inIndex.length > 0) {
    report('index-differs', WHERE_INDEX, `different in this program: ${inIndex.join(', ')}`)
  }
  const inPolicy = differencesOf(policy, createPolicy(tables))
  if (policy !== undefined && inPolicy.length > 0) {
    report('policy-differs', WHERE_POLICY, `different in this program: ${inPolicy.join(', ')}`)
  }
}

function compareWithEachOther(survey: Survey, index: unknown, policy: unknown, report: Report) {
  const counted = propertyOf(propertyOf(policy, 'summary'), 'endpoints')
  const rows = rowsOf(index)
  if (index !== undefined && policy !== undefined && counted !== rows.length) {
    report(
      'policy-differs',
      WHERE_POLICY,
      `${String(counted)} endpoints, the index has ${rows.length}`,
    )
  }
  const openapi = documentAt(survey, ENDPOINTS.openapi.path)
  if (openapi === undefined) return
  const version = propertyOf(openapi, 'openapi')
  if (version !== OPENAPI_VERSION)
    report('openapi-differs', WHERE_OPENAPI, `version ${String(version)}`)
  else if (index !== undefined) {
    const operations = operationsOf(openapi)
    const odd = [...operations, ...rows].find(
      (each) => !operations.includes(each) || !rows.includes(each),
    )
    if (odd !== undefined) report('openapi-differs', WHERE_OPENAPI, `${odd} is only in one of them`)
  }
  const servers = propertyOf(openapi, 'servers')
  const url = Array.isArray(servers) ? propertyOf(servers[0], 'url') : undefined
  if (url !== survey.probe.origin) report('server-address', WHERE_OPENAPI, String(url))
}

/** Compares index, policy and OpenAPI with each other and with this program. */
export const checkDocuments: Check = async (survey, report) => {
  const index = documentAt(survey, ENDPOINTS.index.path)
  const policy = documentAt(survey, ENDPOINTS.policy.path)
  if (survey.isSameRegistry) compareWithTables(index, policy, report)
  else {
    const found = survey.registryVersion ?? 'none'
    report('registry-version', WHERE_INDEX, `${found}, this program has ${REGISTRY_VERSION}`)
  }
  compareWithEachOther(survey, index, policy, report)
  return undefined
}
