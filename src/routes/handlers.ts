import { ApiError } from '@public-api/contract/errors/api-error'
import type { ErrorCode } from '@public-api/contract/errors/errors'
import { parseHistoryPage } from '@public-api/contract/history/history-page'
import { parseKeyRequest } from '@public-api/contract/keys/key-request'
import { ENDPOINTS, type Registry } from '@public-api/contract/registry/endpoints'
import type { DataOf } from '@public-api/contract/registry/schemas'
import { isSnapshotName } from '@public-api/contract/snapshots/snapshot-schemas'
import type { Locale } from '@public-api/contract/terms/locales'
import { formatInstant } from '@public-api/contract/text/instant'
import { parseRegistration } from '@public-api/contract/waitlist/registration'
import type { ApiRequest } from '../http/api-request.ts'
import type { ClientAddress } from '../http/client-address.ts'
import type { Handler } from '../http/exchange.ts'
import { parseJsonBody } from '../http/json-body.ts'
import { localeOfRequest } from '../http/request-locale.ts'
import { orKeysUnavailable, type ApiKeys } from '../service/api-keys/api-keys.ts'
import type { Challenge } from '../service/challenge/challenge.ts'
import type { Clock } from '../service/clock.ts'
import { createPayload, type Payload } from '../service/releases/payload.ts'
import type { PublishedHistory } from '../service/releases/releases.ts'
import type { TimeQuality, TimeQualityMonitor } from '../service/time/time-quality.ts'
import type { Waitlist } from '../service/waitlist/waitlist.ts'
import { closedMessage, closedText, describeEarlyAccess } from './early-access.ts'

export interface HandlerDependencies {
  readonly registry: Registry
  readonly releases: PublishedHistory
  /** The documents about the API itself. */
  readonly documents: {
    readonly index: Payload
    readonly policy: Payload
    /** Takes long to create, so it is created in turns of the event loop when it is first requested. */
    openapi(): Promise<Payload>
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
  readonly consentText: (locale: Locale) => Promise<string>
  readonly timeQuality: TimeQualityMonitor
  readonly clock: Clock
}

export interface Handlers {
  readonly [name: string]: Handler
}

/** The value of what may be missing. Throws ApiError with the given code if it is. */
function required<Value>(value: Value | undefined, code: ErrorCode): Value {
  if (value === undefined) throw new ApiError(code)
  return value
}

function snapshotHandlers(registry: Registry, releases: PublishedHistory): Handlers {
  return Object.fromEntries(
    Object.entries(registry).flatMap(([name, { success }]) => {
      if (success === undefined || !isSnapshotName(success.data)) return []
      const { data } = success
      return [[name, () => required(releases.payload(data), 'SNAPSHOT_UNAVAILABLE')]]
    }),
  )
}

/** `data` of the time endpoint: this machine's clock, with its quality. */
function readTime(nowMs: number, quality: TimeQuality): DataOf<'Time'> {
  return { utc: formatInstant(nowMs), epochMs: nowMs, label: 'SERVER_UTC', quality }
}

const HISTORY_PATH = ENDPOINTS.versions.path

/** The whole history, or the page that the query selects. */
function readHistory(releases: PublishedHistory, { target }: ApiRequest): Payload {
  const page = parseHistoryPage(target)
  const { payload, nextBefore } = releases.historyPage(page)
  if (page.limit === undefined || nextBefore === undefined) return payload
  return { ...payload, nextPage: `${HISTORY_PATH}?limit=${page.limit}&before=${nextBefore}` }
}

/** Parses the body and wipes its bytes, so that personal data stays in memory no longer than needed. */
function parseOnce(body: Uint8Array): unknown {
  try {
    return parseJsonBody(body)
  } finally {
    body.fill(0)
  }
}

/** Creates the handlers. Each returns the data of a success or throws ApiError. */
export function createHandlers(parts: HandlerDependencies): Handlers {
  const { releases, documents, signingKeys, apiKeys, waitlist, challenge } = parts
  const { clientAddress, ownOrigin, consentText, timeQuality, clock } = parts
  let closing: { readonly text: string | undefined } | undefined
  // Read when it is asked for, so that a damaged entry stops no other endpoint.
  const closed = () => (closing ??= { text: closedText(releases) }).text

  return {
    ...snapshotHandlers(parts.registry, releases),

    index: () => documents.index,
    policy: () => documents.policy,
    openapi: () => documents.openapi(),

    time: () => createPayload(readTime(clock.nowMs(), timeQuality.quality())),

    version: () => releases.head,
    versions: ({ request }) => readHistory(releases, request),
    versionById: ({ parameter }) => required(releases.version(parameter), 'VERSION_NOT_FOUND'),

    earlyAccess: () => {
      const text = closed()
      const isOpen = text === undefined && waitlist.isOpen()
      const state = isOpen ? 'open' : 'unavailable'
      return createPayload(describeEarlyAccess(state, challenge.description, text))
    },

    // Limits come first, because they also count invalid requests.
    async register({ request, body }) {
      const text = closed()
      if (text !== undefined) {
        throw new ApiError('REGISTRATION_UNAVAILABLE', { message: closedMessage(text) })
      }
      await waitlist.admit(clientAddress(request))
      const input = parseRegistration(parseOnce(body))
      const locale = input.locale ?? localeOfRequest(request, ownOrigin)
      return createPayload(
        await waitlist.register({ ...input, locale, consentText: await consentText(locale) }),
      )
    },

    // Reached only while issuance is open (spec 5.5). Limits come last, so that only solved challenges count against them.
    async createKey({ body }) {
      const { challengeToken, label, ttlDays } = parseKeyRequest(parseOnce(body))
      const accepted = await orKeysUnavailable(() => challenge.verify(challengeToken, 'issue-key'))
      try {
        return createPayload(await apiKeys.issue({ label, ttlDays }))
      } catch (error) {
        // No key was created, so the caller may repeat the request.
        await accepted.release()
        throw error
      }
    },
    keySelf: ({ key }) => createPayload(required(key, 'KEY_REQUIRED').metadata()),
    revokeKeySelf: async ({ key }) =>
      createPayload(await apiKeys.revoke(required(key, 'KEY_REQUIRED').keyId)),
    signingKey: () => required(signingKeys, 'SIGNING_UNAVAILABLE'),
  }
}
