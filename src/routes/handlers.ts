import { ApiError } from '../contract/api-error.ts'
import { ENDPOINTS, type EndpointName, type Registry } from '../contract/endpoints.ts'
import { formatInstant } from '../contract/instant.ts'
import type { Locale } from '../contract/locales.ts'
import type { DataOf } from '../contract/schemas.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ClientAddress } from '../http/client-address.ts'
import type { Handler } from '../http/exchange.ts'
import type { ApiKeys } from '../service/api-keys.ts'
import type { Challenge } from '../service/challenge.ts'
import type { Clock } from '../service/clock.ts'
import { createPayload, type Payload } from '../service/payload.ts'
import type { HistoryPageRequest, Releases } from '../service/releases.ts'
import type { TimeQuality, TimeQualityMonitor } from '../service/time-quality.ts'
import type { Waitlist } from '../service/waitlist.ts'
import { createCreateKey } from './create-key.ts'
import { describeEarlyAccess } from './early-access.ts'
import { createRegister } from './register.ts'

export interface HandlerDependencies {
  readonly registry: Registry
  readonly releases: Releases
  /** The documents about the API itself. */
  readonly documents: {
    readonly index: Payload
    readonly policy: Payload
    /** Has examples from the release, so it is created when it is first requested. */
    openapi(): Payload
  }
  /** The signing-key document; undefined without a signing key. */
  readonly signingKeys: Payload | undefined
  readonly apiKeys: ApiKeys
  readonly waitlist: Waitlist
  readonly challenge: Challenge
  readonly clientAddress: ClientAddress
  /** The service's own origin, in the browsers' form. */
  readonly ownOrigin: string
  /** The consent statement of the registration form in a locale. */
  readonly consentText: (locale: Locale) => string
  readonly timeQuality: TimeQualityMonitor
  readonly clock: Clock
}

type RowOf<Name extends EndpointName> = (typeof ENDPOINTS)[Name]

/** A handler for each row with its own data; snapshot rows share one. */
type OwnHandlers = {
  readonly [
    Name in EndpointName as RowOf<Name> extends
      | { readonly status: 'preview' }
      | { readonly snapshot: string }
      ? never
      : Name
  ]: Handler
}

export interface Handlers {
  readonly [name: string]: Handler
}

function snapshotHandlers(registry: Registry, releases: Releases): Handlers {
  return Object.fromEntries(
    Object.entries(registry).flatMap(([name, { snapshot }]) => {
      if (snapshot === undefined) return []
      const handler: Handler = () => {
        const payload = releases.resource(snapshot)
        if (payload === undefined) throw new ApiError('SNAPSHOT_UNAVAILABLE')
        return payload
      }
      return [[name, handler]]
    }),
  )
}

/** `data` of the time endpoint: this machine's clock, with its quality. */
function readTime(nowMs: number, quality: TimeQuality): DataOf<'Time'> {
  return { utc: formatInstant(nowMs), epochMs: nowMs, label: 'SERVER_UTC', quality }
}

const { path: HISTORY_PATH, query: HISTORY_QUERY } = ENDPOINTS.versions
const WHOLE_NUMBER = /^[1-9]\d*$/

/** The page of the history that a query selects. Malformed, unknown and repeated values select nothing. */
function parsePageRequest(search: string): HistoryPageRequest {
  const parameters = new URLSearchParams(search)
  const valueOf = (name: string): string | undefined => {
    const [value, ...others] = parameters.getAll(name)
    return others.length === 0 ? value : undefined
  }
  const text = valueOf('limit') ?? ''
  const isLimit = WHOLE_NUMBER.test(text) && Number(text) <= HISTORY_QUERY.limit.maximum
  return { limit: isLimit ? Number(text) : undefined, before: valueOf('before') }
}

/** The whole history, or the page that the query selects. */
function readHistory(releases: Releases, { target, path }: ApiRequest): Payload {
  const page = parsePageRequest(target.slice(path.length))
  if (page.limit === undefined && page.before === undefined) return releases.history
  const { payload, nextBefore } = releases.historyPage(page)
  if (page.limit === undefined || nextBefore === undefined) return payload
  return { ...payload, nextPage: `${HISTORY_PATH}?limit=${page.limit}&before=${nextBefore}` }
}

/** Creates the handlers. Each returns the data of a success or throws ApiError. */
export function createHandlers(parts: HandlerDependencies): Handlers {
  const { releases, documents, signingKeys, apiKeys, waitlist, challenge } = parts
  const { clientAddress, ownOrigin, consentText, timeQuality, clock } = parts

  const own: OwnHandlers = {
    index: () => documents.index,
    policy: () => documents.policy,
    openapi: () => documents.openapi(),

    time: () => createPayload(readTime(clock.nowMs(), timeQuality.quality())),

    version: () => releases.head,
    versions: ({ request }) => readHistory(releases, request),
    versionById: ({ parameter }) => {
      const payload = releases.version(parameter)
      if (payload === undefined) throw new ApiError('VERSION_NOT_FOUND')
      return payload
    },

    earlyAccess: () =>
      createPayload(
        describeEarlyAccess(waitlist.isOpen() ? 'open' : 'unavailable', challenge.description),
      ),
    register: createRegister({ waitlist, clientAddress, ownOrigin, consentText }),

    createKey: createCreateKey(apiKeys, challenge),
    keySelf: ({ key }) => {
      if (key === undefined) throw new ApiError('KEY_REQUIRED')
      return createPayload(key.metadata())
    },
    revokeKeySelf: async ({ key }) => {
      if (key === undefined) throw new ApiError('KEY_REQUIRED')
      return createPayload(await apiKeys.revoke(key.keyId))
    },
    signingKey: () => {
      if (signingKeys === undefined) throw new ApiError('SIGNING_UNAVAILABLE')
      return signingKeys
    },
  }
  return { ...snapshotHandlers(parts.registry, releases), ...own }
}
