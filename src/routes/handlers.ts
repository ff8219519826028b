import { ApiError } from '../contract/api-error.ts'
import { ENDPOINTS, type EndpointName } from '../contract/endpoints.ts'
import type { SnapshotName } from '../contract/snapshot-schemas.ts'
import type { ClientAddress } from '../http/client-address.ts'
import type { Handler } from '../http/exchange.ts'
import type { ApiKeys } from '../service/api-keys.ts'
import type { Challenge } from '../service/challenge.ts'
import type { Clock } from '../service/clock.ts'
import { payloadOf, type Payload } from '../service/payload.ts'
import type { Releases } from '../service/releases.ts'
import type { TimeQualityMonitor } from '../service/time-quality.ts'
import type { Waitlist } from '../service/waitlist.ts'
import { createCreateKey } from './create-key.ts'
import { describeEarlyAccess } from './early-access.ts'
import { createRegister } from './register.ts'
import { readTime } from './time.ts'

/** What the handlers answer from. */
export interface HandlerParts {
  readonly releases: Releases
  /** The documents about the API itself, made once. */
  readonly documents: {
    readonly index: Payload
    readonly policy: Payload
    readonly openapi: Payload
  }
  /** The signing-key document; undefined where no signing key is configured. */
  readonly signingKeys: Payload | undefined
  readonly apiKeys: ApiKeys
  readonly waitlist: Waitlist
  readonly challenge: Challenge
  readonly clientAddress: ClientAddress
  /** The service's own origin, as browsers write it. */
  readonly ownOrigin: string
  readonly timeQuality: TimeQualityMonitor
  readonly clock: Clock
}

type RowOf<Name extends EndpointName> = (typeof ENDPOINTS)[Name]

/** One handler for each row of the registry that serves anything: a forgotten one does not compile. */
export type Handlers = {
  readonly [Name in EndpointName as RowOf<Name>['status'] extends 'preview' ? never : Name]: Handler
}

/** Makes the handlers. Each gives the data of a success or throws ApiError. */
export function createHandlers(parts: HandlerParts): Handlers {
  const { releases, documents, signingKeys, apiKeys, waitlist, challenge } = parts
  const { clientAddress, ownOrigin, timeQuality, clock } = parts

  const snapshot =
    (name: SnapshotName): Handler =>
    () => {
      const payload = releases.snapshot(name)
      if (payload === undefined) throw new ApiError('SNAPSHOT_UNAVAILABLE')
      return payload
    }

  return {
    index: () => documents.index,
    policy: () => documents.policy,
    openapi: () => documents.openapi,

    status: snapshot(ENDPOINTS.status.snapshot),
    architecture: snapshot(ENDPOINTS.architecture.snapshot),
    developmentQueue: snapshot(ENDPOINTS.developmentQueue.snapshot),
    roadmap: snapshot(ENDPOINTS.roadmap.snapshot),
    changelog: snapshot(ENDPOINTS.changelog.snapshot),
    wallet: snapshot(ENDPOINTS.wallet.snapshot),
    walletArchitecture: snapshot(ENDPOINTS.walletArchitecture.snapshot),
    walletSecurity: snapshot(ENDPOINTS.walletSecurity.snapshot),
    walletEvidence: snapshot(ENDPOINTS.walletEvidence.snapshot),
    walletCapabilities: snapshot(ENDPOINTS.walletCapabilities.snapshot),
    walletIntegration: snapshot(ENDPOINTS.walletIntegration.snapshot),
    walletDevelopment: snapshot(ENDPOINTS.walletDevelopment.snapshot),

    time: () => payloadOf(readTime(clock.nowMs(), timeQuality.quality())),

    version: () => releases.head,
    versions: () => releases.history,
    versionById: ({ parameter }) => {
      const payload = releases.version(parameter)
      if (payload === undefined) throw new ApiError('VERSION_NOT_FOUND')
      return payload
    },

    earlyAccess: () =>
      payloadOf(
        describeEarlyAccess(waitlist.isOpen() ? 'open' : 'unavailable', challenge.description),
      ),
    register: createRegister({ waitlist, clientAddress, ownOrigin }),

    createKey: createCreateKey({ apiKeys, challenge }),
    keySelf: ({ key }) => {
      if (key === undefined) throw new ApiError('KEY_REQUIRED')
      return payloadOf(key.metadata())
    },
    revokeKeySelf: async ({ key }) => {
      if (key === undefined) throw new ApiError('KEY_REQUIRED')
      return payloadOf(await apiKeys.revoke(key.keyId))
    },
    signingKey: () => {
      if (signingKeys === undefined) throw new ApiError('SIGNING_UNAVAILABLE')
      return signingKeys
    },
  }
}
