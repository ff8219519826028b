import { BASE_PATH } from '../../../../src/contract/api-version.ts'
import { ENDPOINTS } from '../../../../src/contract/endpoints.ts'
import {
  CACHE_CLASSES,
  CORS,
  ERROR_CACHE_CONTROL,
  HEADERS,
  NO_INDEX_HEADERS,
  READ_VARY,
  RESPONSE_CONTENT_TYPE,
} from '../../../../src/contract/headers.ts'
import { LIMITS } from '../../../../src/contract/limits.ts'
import { OPENAPI_VERSION } from '../../../../src/contract/openapi-version.ts'
import { DOCTOR_BOUNDS } from './doctor-bounds.ts'

/** Severity of a finding: a broken promise; a problem that will appear; information. */
export type Severity = 'error' | 'warning' | 'info'

/** A kind of finding: its severity, what was expected, and what to do. */
export interface CatalogEntry {
  readonly severity: Severity
  readonly expected: string
  readonly advice: string
}

const PASS_HEADERS = 'Have the proxy or CDN pass the header on as it is.'
const NO_TRANSFORM =
  'Switch off what rewrites bodies on the way (minifying, injecting, character conversion).'

/** The directives of a snapshot's Cache-Control that limit its age. */
const SNAPSHOT_AGES = CACHE_CLASSES['static-snapshot'].cacheControl.replace(/^public, /, '')

/** Every finding of `svc doctor`, by its id. Scripts use the ids: a released id keeps its meaning. */
export const FINDING_CATALOG = {
  'no-response': {
    severity: 'error',
    expected: 'a response to each request',
    advice: 'Look at the log of the proxy and of the service at this time.',
  },
  'not-this-service': {
    severity: 'error',
    expected: `the discovery index of this service at ${BASE_PATH}`,
    advice: 'Check the address. Where a proxy is in front, check where it sends /api.',
  },
  'unexpected-status': {
    severity: 'error',
    expected: 'the status that the registry promises',
    advice:
      'Find out which server responded: a Server or Via header that is not the service’s is the proxy.',
  },
  'snapshot-unavailable': {
    severity: 'error',
    expected: 'every published snapshot to be served',
    advice: 'A resource of the release is damaged; the log names it. Restore it and restart.',
  },
  'error-replaced': {
    severity: 'error',
    expected: 'the service’s own JSON errors',
    advice: 'Switch off the proxy’s own error pages for /api.',
  },
  'content-type': {
    severity: 'error',
    expected: `${HEADERS.contentType}: ${RESPONSE_CONTENT_TYPE}`,
    advice: PASS_HEADERS,
  },
  'wrong-shape': {
    severity: 'error',
    expected: 'a body as the schema of its endpoint describes it',
    advice: 'The deployment runs other code than it says; deploy it again.',
  },
  'api-version-missing': {
    severity: 'error',
    expected: 'X-SVC-API-Version on every response of the API',
    advice: PASS_HEADERS,
  },
  'allow-missing': {
    severity: 'error',
    expected: 'Allow on a 405, with the methods of the path',
    advice: PASS_HEADERS,
  },
  'challenge-missing': {
    severity: 'error',
    expected: 'WWW-Authenticate: Bearer on a 401',
    advice: PASS_HEADERS,
  },
  'request-id-missing': {
    severity: 'error',
    expected: 'X-Request-Id on every response with a body',
    advice: PASS_HEADERS,
  },
  'request-id-wrong': {
    severity: 'error',
    expected: 'X-Request-Id to be the requestId of the body',
    advice: 'Have the proxy use another header for ids of its own.',
  },
  'signing-off': {
    severity: 'error',
    expected: 'signed responses',
    advice: 'Give the service its signing key (signing-key.pem, or SVC_SIGNING_KEY) and restart.',
  },
  'signature-dropped': {
    severity: 'error',
    expected: 'X-SVC-Signed-At and X-SVC-Signature on every response with a body',
    advice: PASS_HEADERS,
  },
  'digest-dropped': {
    severity: 'error',
    expected: 'Content-Digest on every response with a body',
    advice: PASS_HEADERS,
  },
  'body-changed': {
    severity: 'error',
    expected: 'the bytes that were signed',
    advice: NO_TRANSFORM,
  },
  'signature-wrong': {
    severity: 'error',
    expected: 'a signature over this method, path, query and status',
    advice:
      'Have the proxy pass method, path and query on unchanged, and not change a status. A cache must keep paths apart.',
  },
  'query-ignored': {
    severity: 'error',
    expected: 'a response for the query that was sent',
    advice: 'Make the query part of the cache key: it is signed.',
  },
  'response-too-old': {
    severity: 'error',
    expected: `no response older than ${LIMITS.signatureMaxAgeSeconds} s that no 304 renewed`,
    advice:
      'Have the cache keep to Cache-Control, and take over X-SVC-Revalidated from a 304 into what it stored.',
  },
  'signed-in-future': {
    severity: 'error',
    expected: 'signatures that are not later than the clock of the service itself',
    advice:
      'The clocks of the machines behind this address differ: synchronize each of them with NTP (chrony, systemd-timesyncd).',
  },
  'etag-missing': {
    severity: 'error',
    expected: 'an ETag on every successful read',
    advice: PASS_HEADERS,
  },
  'etag-strong': {
    severity: 'error',
    expected: 'the weak ETag that the service gave',
    advice: 'Keep the proxy from making validators strong: clients compute the tag from the body.',
  },
  'etag-changed': {
    severity: 'error',
    expected: 'the hash of the data as ETag',
    advice: 'Keep the proxy from writing ETags of its own.',
  },
  'key-document-unusable': {
    severity: 'error',
    expected: 'a signing-key document with at least one Ed25519 key',
    advice: `Look at signing-keys.json, and at what the proxy makes of ${ENDPOINTS.signingKey.path}.`,
  },
  'key-mismatch': {
    severity: 'error',
    expected: 'responses signed by a key of the key document',
    advice:
      'Purge the key document from the cache; check that all machines have the same signing key.',
  },
  'key-not-current': {
    severity: 'error',
    expected: 'responses signed by the key that is marked current',
    advice: 'Purge the cache after a change of keys, and check that all machines made it.',
  },
  'key-id-wrong': {
    severity: 'error',
    expected: 'keyId to be the RFC 7638 thumbprint of the key',
    advice: 'Deploy again: this program computes the ids it publishes.',
  },
  'key-period': {
    severity: 'error',
    expected: 'a key that is in use now, by its notBefore and notAfter',
    advice: 'Correct signing-keys.json, or rotate to the next key.',
  },
  'key-ends-soon': {
    severity: 'warning',
    expected: `a current key that is in use for ${DOCTOR_BOUNDS.keyNoticeDays} days more`,
    advice: 'Announce the next key now, so that those who pin can add it.',
  },
  'pin-mismatch': {
    severity: 'error',
    expected: 'the current key to be one of the pinned',
    advice: 'Compare the key ids. If the key was not changed, this is not your service.',
  },
  'next-not-pinned': {
    severity: 'warning',
    expected: 'the announced next key to be pinned too',
    advice: 'Add the id of the next key to the pins before it signs.',
  },
  'not-pinned': {
    severity: 'info',
    expected: 'a key id from another place than the server, as --pin',
    advice: 'Without a pin the key is the server’s own word.',
  },
  'head-status': {
    severity: 'error',
    expected: 'the status of GET for HEAD',
    advice: 'Have the proxy pass HEAD on as it is.',
  },
  'head-proof': {
    severity: 'warning',
    expected: 'HEAD without Content-Digest, signature headers and X-Request-Id',
    advice:
      'The proxy turns HEAD into GET, or a cache responds to it. No verifier takes these headers for HEAD.',
  },
  'head-etag': {
    severity: 'error',
    expected: 'the ETag of GET on the response to HEAD',
    advice: PASS_HEADERS,
  },
  'coding-unrequested': {
    severity: 'error',
    expected: 'only a content coding that was asked for',
    advice: 'Have the proxy compress by Accept-Encoding, or not at all.',
  },
  'coding-broken': {
    severity: 'error',
    expected: 'a body that decodes as Content-Encoding says',
    advice: 'Look for two parts on the way that compress.',
  },
  'coding-body': {
    severity: 'error',
    expected: 'compression that leaves body and proof intact',
    advice: `The digest is over the uncompressed bytes. ${NO_TRANSFORM}`,
  },
  'coding-headers': {
    severity: 'error',
    expected: 'the signature headers on compressed responses',
    advice: 'Have the proxy keep Content-Digest and X-SVC-* when it compresses.',
  },
  'coding-etag': {
    severity: 'error',
    expected: 'the weak ETag on compressed responses as on others',
    advice: 'A weak ETag need not change when a body is compressed; have the proxy keep it.',
  },
  'coding-vary': {
    severity: 'warning',
    expected: 'Vary: Accept-Encoding on compressed responses',
    advice:
      'Without it a cache may give compressed bodies to clients that cannot read them. Varnish loses it with a 304; docs/caches/default.vcl puts it back.',
  },
  'revalidation-ignored': {
    severity: 'error',
    expected: '304 to an If-None-Match with the right ETag, or the whole response, signed',
    advice: 'Have the proxy pass If-None-Match and 304 on.',
  },
  'revalidation-whole': {
    severity: 'info',
    expected: '304 to an If-None-Match with the right ETag',
    advice:
      'A cache sends its whole copy, which is right and costs bytes. Some do so until the service has renewed their copy.',
  },
  'revalidation-wrong': {
    severity: 'error',
    expected: '200 to an If-None-Match with another ETag',
    advice: 'A 304 to any ETag leaves clients with old content; look at the cache.',
  },
  'not-modified-signed': {
    severity: 'error',
    expected: 'a 304 without Content-Digest, signature headers and X-Request-Id',
    advice: 'A cache merges them into a stored body they are not for. Remove what adds them.',
  },
  'not-modified-from-cache': {
    severity: 'warning',
    expected: 'a cache that leaves the proof of its own copy out of a 304',
    advice:
      'A reader’s cache merges it into an older copy, which then fails to verify. Have the cache take Content-Digest, X-SVC-Signed-At, X-SVC-Signature and X-Request-Id off a 304.',
  },
  'not-modified-unproved': {
    severity: 'error',
    expected: 'X-SVC-Revalidated on a 304 of the service',
    advice: PASS_HEADERS,
  },
  'not-modified-proof-wrong': {
    severity: 'error',
    expected: 'X-SVC-Revalidated to prove this 304',
    advice: 'Have the proxy pass target and ETag on unchanged, and not keep 304 responses.',
  },
  'not-modified-headers': {
    severity: 'warning',
    expected: 'ETag, Cache-Control and Vary on a 304',
    advice: PASS_HEADERS,
  },
  'cache-control': {
    severity: 'error',
    expected: 'the Cache-Control of the endpoint’s cache class',
    advice: 'Have the CDN honor and pass on the origin’s Cache-Control.',
  },
  'error-cacheable': {
    severity: 'error',
    expected: `${HEADERS.cacheControl}: ${ERROR_CACHE_CONTROL} on errors and key holders’ responses`,
    advice: 'Have the CDN honor and pass on the origin’s Cache-Control.',
  },
  'no-store-cached': {
    severity: 'error',
    expected: 'a separate response to each request where nothing may be stored',
    advice: `Switch off caching of errors, and of what says ${ERROR_CACHE_CONTROL}.`,
  },
  'short-lived-cached': {
    severity: 'error',
    expected: 'a separate response to each request for the time',
    advice: 'Have the CDN ask the origin again where max-age is 0 and must-revalidate stands.',
  },
  'cached-too-long': {
    severity: 'warning',
    expected: 'no snapshot from a cache that is older than max-age and stale-while-revalidate',
    advice: `Have the CDN keep to ${SNAPSHOT_AGES}.`,
  },
  'vary-missing': {
    severity: 'error',
    expected: `${HEADERS.vary}: ${READ_VARY} on every cacheable read`,
    advice:
      'Without it a cache may mix responses with and without a key. Have the proxy keep Vary.',
  },
  'cors-missing': {
    severity: 'error',
    expected: 'Access-Control-Allow-Origin on every read, errors and 304 included',
    advice: PASS_HEADERS,
  },
  'cors-origin': {
    severity: 'error',
    expected: `${HEADERS.accessControlAllowOrigin}: ${CORS.allowOrigin}`,
    advice: 'Leave CORS to the service.',
  },
  'cors-credentials': {
    severity: 'error',
    expected: 'no Access-Control-Allow-Credentials',
    advice: 'Leave CORS to the service.',
  },
  'cors-expose': {
    severity: 'error',
    expected: 'the promised headers in Access-Control-Expose-Headers',
    advice: 'Without them a page in a browser cannot verify. Leave CORS to the service.',
  },
  'preflight-wrong': {
    severity: 'error',
    expected: 'a preflight that admits GET with a key and If-None-Match',
    advice: 'Have the proxy pass OPTIONS on to the service.',
  },
  'preflight-offers': {
    severity: 'error',
    expected: 'a preflight that offers GET, HEAD and OPTIONS only',
    advice: 'Leave CORS to the service: other sites’ pages must not write.',
  },
  'cors-on-write': {
    severity: 'error',
    expected: 'no CORS header where something is written',
    advice: 'Leave CORS to the service: other sites’ pages must not write.',
  },
  'clock-skew': {
    severity: 'error',
    expected: `the clocks of server and this machine within ${DOCTOR_BOUNDS.clockSkewSeconds} s`,
    advice: 'Compare both with a time source. Verifiers refuse what is signed in the future.',
  },
  'date-skew': {
    severity: 'warning',
    expected: `Date within ${DOCTOR_BOUNDS.clockSkewSeconds} s of the time of signing`,
    advice: 'Correct the clock of the proxy or CDN: caches compute ages with Date.',
  },
  'time-wrong': {
    severity: 'error',
    expected: '/time to say the time at which it was signed',
    advice: 'Deploy again: both come from one clock.',
  },
  'time-unsynchronized': {
    severity: 'warning',
    expected: 'the quality SYNCHRONIZED at /time',
    advice: 'Look at the time source (SVC_NTP_SERVER), and at the machine’s clock.',
  },
  'time-unverified': {
    severity: 'info',
    expected: 'a time source that /time is measured against',
    advice: 'Set SVC_NTP_SERVER to a time server of yours.',
  },
  'robots-tag-missing': {
    severity: 'error',
    expected: `${NO_INDEX_HEADERS.join(': ')} on every response of a preview`,
    advice: PASS_HEADERS,
  },
  'robots-tag-unwanted': {
    severity: 'error',
    expected: 'no X-Robots-Tag with noindex on a primary deployment',
    advice: 'Set SVC_DEPLOYMENT=primary, or take the header out of the proxy.',
  },
  'robots-txt': {
    severity: 'error',
    expected: 'a robots.txt that fits the deployment: a preview is disallowed as a whole',
    advice: 'Have the proxy pass /robots.txt on to the service; check SVC_DEPLOYMENT.',
  },
  'registry-version': {
    severity: 'warning',
    expected: 'the registry version of this program',
    advice: 'Run the doctor of the deployed version. What only fits one version was not compared.',
  },
  'index-differs': {
    severity: 'error',
    expected: 'the rows of this registry version in the discovery index',
    advice: 'Deploy again, and purge the cache.',
  },
  'policy-differs': {
    severity: 'error',
    expected: 'the promises of this registry version in the policy',
    advice: 'Deploy again, and purge the cache.',
  },
  'openapi-differs': {
    severity: 'error',
    expected: `an OpenAPI ${OPENAPI_VERSION} document with the operations of the index`,
    advice: 'Purge the cache: the documents are of two deployments.',
  },
  'server-address': {
    severity: 'warning',
    expected: 'this address as the server in the OpenAPI document',
    advice: 'Set SVC_BASE_URL to the public address; the form and the documents use it.',
  },
  'endpoint-deprecated': {
    severity: 'info',
    expected: 'no deprecated endpoint in use after its sunset date',
    advice: 'Inform the clients of this endpoint about its successor.',
  },
  'sunset-passed': {
    severity: 'warning',
    expected: 'deprecated endpoints to be removed after their sunset date',
    advice: 'Remove the endpoint, or set a later sunset date.',
  },
  'deprecation-missing': {
    severity: 'error',
    expected: `${HEADERS.deprecation}, ${HEADERS.sunset} and ${HEADERS.link} with rel="successor-version" on a deprecated endpoint`,
    advice: PASS_HEADERS,
  },
  'link-missing': {
    severity: 'error',
    expected: `Link on ${BASE_PATH} with service-desc, service-doc, service-meta and status`,
    advice: PASS_HEADERS,
  },
  'link-broken': {
    severity: 'error',
    expected: 'a page behind each link',
    advice: 'Have the proxy pass all paths on to the service, not only /api.',
  },
  'plain-http': {
    severity: 'warning',
    expected: 'https',
    advice: 'Responses are signed, but keys and registrations would travel readable.',
  },
  'http-not-redirected': {
    severity: 'warning',
    expected: 'plain http to be redirected to https, or refused',
    advice: 'Redirect with 308: an API key that is sent to http is readable on the way.',
  },
  'server-version': {
    severity: 'warning',
    expected: 'no version number in Server, and no X-Powered-By',
    advice: 'Switch it off in the proxy (nginx: server_tokens off).',
  },
  cookie: {
    severity: 'error',
    expected: 'no cookie',
    advice: 'The policy says that none exists; switch off what the CDN sets.',
  },
} as const satisfies { readonly [id: string]: CatalogEntry }

export type FindingId = keyof typeof FINDING_CATALOG
