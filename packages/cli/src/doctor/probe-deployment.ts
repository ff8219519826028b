import { freshTarget } from '@public-api/client-internal/fresh-target'
import { isUnsignedOutage } from '@public-api/client-internal/http-response'
import { parseSigningKeys } from '@public-api/client-internal/signing-keys'
import {
  VerificationError,
  type VerificationFault,
} from '@public-api/client-internal/verification-error'
import type { VerificationKey } from '@public-api/client-internal/verification-key'
import { verifyResponse, type VerifiedResponse } from '@public-api/client-internal/verify-response'
import { ERRORS, type ErrorCode } from '@public-api/contract/errors/errors'
import { SCHEMA_IDS } from '@public-api/contract/http/envelope'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { ENDPOINTS, type Endpoint } from '@public-api/contract/registry/endpoints'
import { BASE_PATH, REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import { HEADERS, JSON_MEDIA_TYPE } from '@public-api/contract/terms/headers'
import { parseInstant } from '@public-api/contract/text/instant'
import { UnreachableError, type Received } from '../verifying/requests.ts'
import type { Report } from './findings.ts'
import type { Probe } from './probe.ts'

/** A response to a read, with what the registry promises. */
export type Observation = Awaited<ReturnType<typeof observe>>

/** The data of all checks: the plain responses of a deployment, each requested once. */
export interface Survey {
  readonly probe: Probe
  readonly observed: readonly Observation[]
  /** Keys of the signing-key document; empty if it is missing or unusable. */
  readonly keys: readonly VerificationKey[]
  /** Whether the deployment states that it does not sign. */
  readonly isSigningOff: boolean
  /** The time response, requested past all caches. */
  readonly freshTime: Observation | undefined
  /** How far the server's clock is ahead of this machine's, in milliseconds; 0 if unknown. */
  readonly skewMs: number
  /** Whether the deployment runs the same registry as this program, so that the two can be compared. */
  readonly isSameRegistry: boolean
  readonly registryVersion: string | undefined
  /** Checks a response with the deployment's keys, by the server's clock. */
  verify(response: Received): ReturnType<typeof verifyAt>
  of(path: string): Observation | undefined
}

const UNKNOWN_PATH = `${BASE_PATH}/doctor-asks-for-nothing`

/** The expected response to a read without a key. */
function promisedCode(row: Endpoint): ErrorCode | undefined {
  if (row.authentication === 'api-key') return 'KEY_REQUIRED'
  return row.success === undefined ? row.failure : undefined
}

function targetOfRow(row: Endpoint, newestVersion: string | undefined): string {
  if (row.parameter === undefined) return row.path
  const { name, example } = row.parameter
  const value = row.path === ENDPOINTS.versionById.path ? (newestVersion ?? example) : example
  return row.path.replace(`{${name}}`, value)
}

/** The keys of a document; empty if one is invalid, because clients reject such a document. */
async function usableKeys(data: unknown): Promise<readonly VerificationKey[]> {
  try {
    return await parseSigningKeys(data)
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    return []
  }
}

/** A GET request, and the promised response. */
interface RequestSpec {
  readonly target: string
  /** The row of the endpoint; undefined for an unknown address. */
  readonly row?: Endpoint
  /** The promised error; undefined for a promised success. */
  readonly code?: ErrorCode | undefined
  /** Whether pages of other sites may read it. */
  readonly hasCors: boolean
}

/** The response to a GET; undefined if nothing responded, which is reported. */
type Get = (target: string) => Promise<Received | undefined>

function createGet(probe: Probe, report: Report): Get {
  return async (target) => {
    try {
      return await probe.ask({ method: 'GET', target })
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error
      report('no-response', `GET ${target}`, error.message)
      return undefined
    }
  }
}

function contentOf(response: Received | undefined): unknown {
  return response === undefined ? undefined : parseJson(response.body)
}

/** The data of the index, or why another service responded. Throws an UnreachableError. */
async function findIndex(
  probe: Probe,
): Promise<{ readonly registryVersion: string | undefined } | { readonly reason: string }> {
  const response = await probe.ask({ method: 'GET', target: BASE_PATH })
  const content = contentOf(response)
  const data = propertyOf(content, 'data')
  const isIndex =
    propertyOf(content, 'schema') === SCHEMA_IDS.response &&
    Array.isArray(propertyOf(data, 'endpoints'))
  if (!isIndex) {
    if (isUnsignedOutage(response)) {
      throw new UnreachableError(
        `GET ${BASE_PATH} returned status ${response.status} without a signature, as a proxy does when its service is down`,
      )
    }
    const location = response.field('Location')
    const leads = location === undefined ? '' : ` that leads to ${location}`
    const type = response.field(HEADERS.contentType) ?? 'no type'
    return { reason: `status ${response.status}${leads}, ${type}` }
  }
  const version = propertyOf(data, 'registryVersion')
  return { registryVersion: typeof version === 'string' ? version : undefined }
}

/** The signing keys of the deployment. */
async function readKeys(get: Get): Promise<Pick<Survey, 'keys' | 'isSigningOff'>> {
  const content = contentOf(await get(ENDPOINTS.signingKey.path))
  return {
    keys: await usableKeys(propertyOf(content, 'data')),
    isSigningOff: propertyOf(propertyOf(content, 'error'), 'code') === 'SIGNING_UNAVAILABLE',
  }
}

async function verifyAt(
  response: Received,
  keys: Survey['keys'],
  nowMs: number,
): Promise<{
  /** Undefined if every check passed, or if no key is known. */
  readonly fault: VerificationFault | undefined
  readonly verified: VerifiedResponse | undefined
}> {
  if (keys.length === 0) return { fault: undefined, verified: undefined }
  try {
    return { fault: undefined, verified: await verifyResponse({ ...response, keys, nowMs }) }
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    return { fault: error.code, verified: undefined }
  }
}

/** Uses a response that no cache can have stored, because its signature covers a random parameter. */
async function measureSkew(response: Received | undefined, keys: Survey['keys']): Promise<number> {
  const signedAtMs = parseInstant(response?.field(HEADERS.signedAt) ?? '')
  if (response === undefined || signedAtMs === undefined) return 0
  const { fault } = await verifyAt(response, keys, signedAtMs)
  return fault === undefined ? signedAtMs - (response.sentAtMs + response.receivedAtMs) / 2 : 0
}

async function readNewestVersion(get: Get): Promise<string | undefined> {
  const data = propertyOf(contentOf(await get(ENDPOINTS.version.path)), 'data')
  const newest = propertyOf(data, 'snapshotId')
  return typeof newest === 'string' && /^VS-\d{4,20}$/.test(newest) ? newest : undefined
}

/** Every read of the registry, an unknown path, and a write that is requested with GET. */
function everyRead(newestVersion: string | undefined): readonly RequestSpec[] {
  const rows: readonly Endpoint[] = Object.values(ENDPOINTS)
  const reads = rows
    .filter(({ method }) => method === 'GET')
    .map((row) => ({
      target: targetOfRow(row, newestVersion),
      row,
      code: promisedCode(row),
      hasCors: true,
    }))
  return [
    ...reads,
    { target: UNKNOWN_PATH, code: 'NOT_FOUND', hasCors: true },
    { target: ENDPOINTS.register.path, code: 'METHOD_NOT_ALLOWED', hasCors: false },
  ]
}

/** Whether a body has the promised error code, or no error if a success is promised. */
function hasPromisedContent(content: unknown, code: ErrorCode | undefined): boolean {
  const found = propertyOf(propertyOf(content, 'error'), 'code')
  return content !== undefined && found === code
}

/** Compares a response with what was promised. */
async function observe(
  response: Received,
  { target, row, code, hasCors }: RequestSpec,
  verify: Survey['verify'],
) {
  const content = parseJson(response.body)
  const verification = await verify(response)
  const isJson = (response.field(HEADERS.contentType) ?? '').startsWith(JSON_MEDIA_TYPE)
  const status = code === undefined ? (row?.success?.status ?? 200) : ERRORS[code].status
  return {
    /** Method and target. */
    where: `GET ${target}`,
    row,
    code,
    status,
    hasCors,
    response,
    /** The body as JSON; undefined if it is not JSON. */
    content,
    /** Whether the service responded as promised; further checks use only such responses. */
    isAsPromised: response.status === status && hasPromisedContent(content, code),
    /** Whether the service's response was changed after signing. */
    isChanged: response.status === status && isJson && verification.fault === 'DIGEST',
    verification,
  }
}

/**
 * Requests all reads once. Throws an UnreachableError if the index does not respond; reports other missing responses.
 */
export async function probeDeployment(
  probe: Probe,
  report: Report,
): Promise<Survey | { readonly reason: string }> {
  const index = await findIndex(probe)
  if ('reason' in index) return index
  const { registryVersion } = index
  const get = createGet(probe, report)
  const { keys, isSigningOff } = await readKeys(get)

  const time = ENDPOINTS.time
  // Sent first, so that a cache that ignores the query has a response for this path.
  await get(time.path)
  const freshResponse = await get(freshTarget(time.path))
  const skewMs = await measureSkew(freshResponse, keys)
  const verify = (response: Received) => verifyAt(response, keys, response.receivedAtMs + skewMs)

  async function askOne(asked: RequestSpec): Promise<Observation | undefined> {
    const response = await get(asked.target)
    return response === undefined ? undefined : observe(response, asked, verify)
  }

  const all = await Promise.all(everyRead(await readNewestVersion(get)).map(askOne))
  const observed = all.filter((each) => each !== undefined)
  return {
    probe,
    observed,
    keys,
    isSigningOff,
    freshTime:
      freshResponse === undefined
        ? undefined
        : // Reported without the random parameter, which means nothing to a reader.
          await observe(freshResponse, { target: time.path, row: time, hasCors: true }, verify),
    skewMs,
    isSameRegistry: registryVersion === REGISTRY_VERSION,
    registryVersion,
    verify,
    of: (path) => observed.find(({ row }) => row?.path === path),
  }
}
