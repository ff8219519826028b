import { createDiscoveryIndex } from '@public-api/contract/documents/discovery'
import { createPolicy } from '@public-api/contract/documents/policy'
import { createRecorder } from '@public-api/contract/history/published-record'
import { ISSUANCE, type Issuance } from '@public-api/contract/keys/issuance'
import {
  ENDPOINTS,
  visibleEndpoints,
  type Registry,
  type Runtime,
} from '@public-api/contract/registry/endpoints'
import { checkRegistry } from '@public-api/contract/registry/registry-rules'
import { REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import { withoutLineMarks } from '@public-api/contract/text/line-marks'
import type { ResponseSigner } from './crypto/response-signer.ts'
import type { App } from './http/api-request.ts'
import { createClientAddress } from './http/client-address.ts'
import type { Handler } from './http/exchange.ts'
import { createPipeline, type PipelineDependencies } from './http/pipeline.ts'
import { createResponder } from './http/respond.ts'
import { createResponseCache } from './http/response-cache.ts'
import { createRouter } from './http/router.ts'
import { ownTurn } from './pages/markup/turns.ts'
import { importSite } from './pages/serving/import-site.ts'
import type { Site, SiteOptions } from './pages/serving/site.ts'
import { createArchive } from './routes/archive.ts'
import { createHandlers, type HandlerDependencies } from './routes/handlers.ts'
import { createLogRoutes } from './routes/tlog.ts'
import { createPayload, type Payload } from './service/releases/payload.ts'
import type { PublishedHistory } from './service/releases/releases.ts'
import {
  describeLog,
  describeSigningKeys,
  type PublishedSigningKey,
} from './service/signing-keys/signing-key-document.ts'
import type { AddressRange } from './service/waitlist/address-range.ts'

export { importSite }

/** The signing key, and its published document. */
export interface Signing {
  readonly signer: ResponseSigner
  /** Exactly one key is current: that of the signer. */
  readonly keys: readonly PublishedSigningKey[]
}

export interface AppDependencies
  extends
    Pick<HandlerDependencies, 'apiKeys' | 'challenge' | 'clock' | 'timeQuality' | 'waitlist'>,
    Pick<PipelineDependencies, 'log' | 'newRequestId'> {
  readonly runtime: Runtime
  readonly deployment: 'primary' | 'preview'
  /** Own origin: scheme and authority, without a slash at the end. */
  readonly baseUrl: string
  readonly releases: PublishedHistory
  /** Undefined: responses are unsigned (spec 5.7). */
  readonly signing: Signing | undefined
  /** The proxies whose X-Forwarded-For is trusted. Default: none. */
  readonly trustedProxies?: readonly AddressRange[]
  /** URI of the security contact; undefined if unknown. */
  readonly securityContact?: string | undefined
  /** How long a signed response is reused for anonymous readers; undefined: never. */
  readonly cacheSeconds?: number
  /** What only a static copy has. */
  readonly copy?: SiteOptions['copy']
  /** Key ID for visitors to compare. Default: that of the signing key. */
  readonly keyId?: string | undefined
  /** Default: the service's registry. Tests pass others. */
  readonly registry?: Registry
  /** Handlers of rows that only a test's registry has. */
  readonly extraHandlers?: { readonly [name: string]: Handler }
  /** Default: the registry's issuance. No configuration changes it. */
  readonly issuance?: Issuance
}

/** Dependencies that can be replaced while the service runs. */
export type Published = Pick<AppDependencies, 'releases' | 'signing'>

/**
 * Prepares the fixed parts, and returns a function that creates the app for a release. An app never changes: another
 * release is served by another app. Throws if the registry breaks one of its rules.
 */
export function createAppComposer(
  parts: Omit<AppDependencies, keyof Published>,
): (published: Published) => App & { readonly openSite: () => Promise<Site> } {
  const { runtime, baseUrl, clock } = parts
  const isPreview = parts.deployment === 'preview'
  const registry: Registry = parts.registry ?? ENDPOINTS
  const issuance = parts.issuance ?? ISSUANCE
  const faults = checkRegistry(registry, { issuance })
  if (faults.length > 0) throw new Error(`The registry breaks its rules: ${faults.join('; ')}`)
  const visible = visibleEndpoints(registry, runtime)
  const described = { registry, runtime, registryVersion: REGISTRY_VERSION, issuance, baseUrl }
  async function makeOpenApi(): Promise<Payload> {
    const { createOpenApi } = await import('@public-api/contract/documents/openapi')
    await ownTurn()
    const document = createOpenApi(described)
    await ownTurn()
    return createPayload(document)
  }
  let openapi: Promise<Payload> | undefined
  const documents = {
    index: createPayload(createDiscoveryIndex(described)),
    policy: createPayload(createPolicy(described)),
    openapi: () => (openapi ??= makeOpenApi()),
  }
  const record = createRecorder()
  let pages: Awaited<ReturnType<typeof importSite>> | undefined
  const loggedBy = ({ tlog }: PublishedHistory) => tlog && describeLog(tlog.files, baseUrl)
  return ({ releases, signing }) => {
    const signingKeys =
      signing === undefined
        ? undefined
        : createPayload(describeSigningKeys(signing.keys, loggedBy(releases)))
    const current = signing?.keys.find(({ status }) => status === 'current')
    const messageSigning =
      signing === undefined || current === undefined
        ? undefined
        : {
            signer: signing.signer,
            keyId: current.keyId,
            publicKey: Buffer.from(current.jwk.x, 'base64url').toString('base64'),
            origin: baseUrl,
          }
    const handlers = createHandlers({
      ...parts,
      registry,
      releases,
      documents,
      signingKeys,
      clientAddress: createClientAddress(parts.trustedProxies ?? []),
      ownOrigin: baseUrl,
      async consentText(locale) {
        const { TEXTS } = await import('./pages/texts/texts.ts')
        return withoutLineMarks(TEXTS[locale].earlyAccess.form.consent)
      },
    })
    const api = createPipeline({
      ...parts,
      router: createRouter(visible, { ...handlers, ...parts.extraHandlers }),
      responder: createResponder(messageSigning, isPreview),
      ownOrigin: baseUrl,
      issuance,
    })
    const siteOptions = {
      ...parts,
      origin: baseUrl,
      contact: parts.securityContact,
      registry: visible,
      registryVersion: REGISTRY_VERSION,
      issuance,
      releases,
      api,
      keyId: parts.keyId ?? current?.keyId,
      publicKey: messageSigning?.publicKey,
      record,
    }
    let site = pages?.createSite(siteOptions)
    async function openSite(): Promise<Site> {
      pages = await importSite()
      return (site ??= pages.createSite(siteOptions))
    }
    const archive = createArchive(releases, isPreview)
    const log = createLogRoutes(releases, isPreview)
    const seconds = parts.cacheSeconds ?? 0
    const cachedApi = seconds > 0 ? createResponseCache(api, { seconds, clock }) : api
    const app: App = (request) => {
      // Every response at or below /api is JSON (contract decisions 3.14).
      const isForApi = request.path === '/api' || request.path.startsWith('/api/')
      if (isForApi) return cachedApi(request)
      const file = archive(request) ?? log(request)
      if (file !== undefined) return file
      return site?.respond(request) ?? openSite().then((opened) => opened.respond(request))
    }
    return Object.assign(app, { openSite })
  }
}
