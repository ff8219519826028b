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

/** Severity of a finding: a broken promise, a future problem, or information. */
export type Severity = 'error' | 'warning' | 'info'

/** Creates kinds of findings of one severity: what was expected, and what to do. */
const findingOf = (severity: Severity) => (expected: string, advice: string) => ({
  severity,
  expected,
  advice,
})
const error = findingOf('error')
const warning = findingOf('warning')
const info = findingOf('info')

const PASS_HEADERS = 'Have the proxy or CDN pass the header on as it is.'
const NO_TRANSFORM =
  'Switch off what rewrites bodies on the way (minifying, injecting, character conversion).'

/** The directives of a snapshot's Cache-Control that limit its age. */
const SNAPSHOT_AGES = CACHE_CLASSES['static-snapshot'].cacheControl.replace(/^public, /, '')

/** Every finding of `svc doctor`, by its id. Scripts use the ids: a released id keeps its meaning. */
export const FINDING_CATALOG = {
  'no-response': error(
    'a response to each request',
    'Look at the log of the proxy and of the service at this time.',
  ),
  'not-this-service': error(
    `the discovery index of this service at ${BASE_PATH}`,
    'Check the address. Where a proxy is in front, check where it sends /api.',
  ),
  'unexpected-status': error(
    'the status that the registry promises',
    'Find out which server responded: a Server or Via header that is not the service’s is the proxy.',
  ),
  'snapshot-unavailable': error(
    'every published snapshot to be served',
    'A resource of the release is damaged; the log names it. Restore it and restart.',
  ),
  'error-replaced': error(
    'the service’s own JSON errors',
    'Switch off the proxy’s own error pages for /api.',
  ),
  'content-type': error(`${HEADERS.contentType}: ${RESPONSE_CONTENT_TYPE}`, PASS_HEADERS),
  'wrong-shape': error(
    'a body as the schema of its endpoint describes it',
    'The deployment runs other code than it says; deploy it again.',
  ),
  'api-version-missing': error('X-SVC-API-Version on every response of the API', PASS_HEADERS),
  'allow-missing': error('Allow on a 405, with the methods of the path', PASS_HEADERS),
  'challenge-missing': error('WWW-Authenticate: Bearer on a 401', PASS_HEADERS),
  'request-id-missing': error('X-Request-Id on every response with a body', PASS_HEADERS),
  'request-id-wrong': error(
    'X-Request-Id to be the requestId of the body',
    'Have the proxy use another header for ids of its own.',
  ),
  'signing-off': error(
    'signed responses',
    'Give the service its signing key (signing-key.pem, or SVC_SIGNING_KEY) and restart.',
  ),
  'signature-dropped': error(
    'X-SVC-Signed-At and X-SVC-Signature on every response with a body',
    PASS_HEADERS,
  ),
  'digest-dropped': error('Content-Digest on every response with a body', PASS_HEADERS),
  'body-changed': error('the bytes that were signed', NO_TRANSFORM),
  'signature-wrong': error(
    'a signature over this method, path, query and status',
    'Have the proxy pass method, path and query on unchanged, and not change a status. A cache must keep paths apart.',
  ),
  'query-ignored': error(
    'a response for the query that was sent',
    'Make the query part of the cache key: it is signed.',
  ),
  'response-too-old': error(
    `no response older than ${LIMITS.signatureMaxAgeSeconds} s that no 304 renewed`,
    'Have the cache keep to Cache-Control, and take over X-SVC-Revalidated from a 304 into what it stored.',
  ),
  'signed-in-future': error(
    'signatures that are not later than the clock of the service itself',
    'The clocks of the machines behind this address differ: synchronize each of them with NTP (chrony, systemd-timesyncd).',
  ),
  'etag-missing': error('an ETag on every successful read', PASS_HEADERS),
  'etag-strong': error(
    'the weak ETag that the service gave',
    'Keep the proxy from making validators strong: clients compute the tag from the body.',
  ),
  'etag-changed': error(
    'the hash of the data as ETag',
    'Keep the proxy from writing ETags of its own.',
  ),
  'key-document-unusable': error(
    'a signing-key document with at least one Ed25519 key',
    `Look at signing-keys.json, and at what the proxy makes of ${ENDPOINTS.signingKey.path}.`,
  ),
  'key-mismatch': error(
    'responses signed by a key of the key document',
    'Purge the key document from the cache; check that all machines have the same signing key.',
  ),
  'key-not-current': error(
    'responses signed by the key that is marked current',
    'Purge the cache after a change of keys, and check that all machines made it.',
  ),
  'key-id-wrong': error(
    'keyId to be the RFC 7638 thumbprint of the key',
    'Deploy again: this program computes the ids it publishes.',
  ),
  'key-period': error(
    'a key that is in use now, by its notBefore and notAfter',
    'Correct signing-keys.json, or rotate to the next key.',
  ),
  'key-ends-soon': warning(
    `a current key that is in use for ${DOCTOR_BOUNDS.keyNoticeDays} days more`,
    'Announce the next key now, so that those who pin can add it.',
  ),
  'pin-mismatch': error(
    'the current key to be one of the pinned',
    'Compare the key ids. If the key was not changed, this is not your service.',
  ),
  'next-not-pinned': warning(
    'the announced next key to be pinned too',
    'Add the id of the next key to the pins before it signs.',
  ),
  'not-pinned': info(
    'a key id from another place than the server, as --pin',
    'Without a pin the key is the server’s own word.',
  ),
  'head-status': error('the status of GET for HEAD', 'Have the proxy pass HEAD on as it is.'),
  'head-proof': warning(
    'HEAD without Content-Digest, signature headers and X-Request-Id',
    'The proxy turns HEAD into GET, or a cache responds to it. No verifier takes these headers for HEAD.',
  ),
  'head-etag': error('the ETag of GET on the response to HEAD', PASS_HEADERS),
  'coding-unrequested': error(
    'only a content coding that was asked for',
    'Have the proxy compress by Accept-Encoding, or not at all.',
  ),
  'coding-broken': error(
    'a body that decodes as Content-Encoding says',
    'Look for two parts on the way that compress.',
  ),
  'coding-body': error(
    'compression that leaves body and proof intact',
    `The digest is over the uncompressed bytes. ${NO_TRANSFORM}`,
  ),
  'coding-headers': error(
    'the signature headers on compressed responses',
    'Have the proxy keep Content-Digest and X-SVC-* when it compresses.',
  ),
  'coding-etag': error(
    'the weak ETag on compressed responses as on others',
    'A weak ETag need not change when a body is compressed; have the proxy keep it.',
  ),
  'coding-vary': warning(
    'Vary: Accept-Encoding on compressed responses',
    'Without it a cache may give compressed bodies to clients that cannot read them. Varnish loses it with a 304; docs/caches/default.vcl puts it back.',
  ),
  'revalidation-ignored': error(
    '304 to an If-None-Match with the right ETag, or the whole response, signed',
    'Have the proxy pass If-None-Match and 304 on.',
  ),
  'revalidation-whole': info(
    '304 to an If-None-Match with the right ETag',
    'A cache sends its whole copy, which is right and costs bytes. Some do so until the service has renewed their copy.',
  ),
  'revalidation-wrong': error(
    '200 to an If-None-Match with another ETag',
    'A 304 to any ETag leaves clients with old content; look at the cache.',
  ),
  'not-modified-signed': error(
    'a 304 without Content-Digest, signature headers and X-Request-Id',
    'A cache merges them into a stored body they are not for. Remove what adds them.',
  ),
  'not-modified-from-cache': warning(
    'a cache that leaves the proof of its own copy out of a 304',
    'A reader’s cache merges it into an older copy, which then fails to verify. Have the cache take Content-Digest, X-SVC-Signed-At, X-SVC-Signature and X-Request-Id off a 304.',
  ),
  'not-modified-unproved': error('X-SVC-Revalidated on a 304 of the service', PASS_HEADERS),
  'not-modified-proof-wrong': error(
    'X-SVC-Revalidated to prove this 304',
    'Have the proxy pass target and ETag on unchanged, and not keep 304 responses.',
  ),
  'not-modified-headers': warning('ETag, Cache-Control and Vary on a 304', PASS_HEADERS),
  'cache-control': error(
    'the Cache-Control of the endpoint’s cache class',
    'Have the CDN honor and pass on the origin’s Cache-Control.',
  ),
  'error-cacheable': error(
    `${HEADERS.cacheControl}: ${ERROR_CACHE_CONTROL} on errors and key holders’ responses`,
    'Have the CDN honor and pass on the origin’s Cache-Control.',
  ),
  'no-store-cached': error(
    'a separate response to each request where nothing may be stored',
    `Switch off caching of errors, and of what says ${ERROR_CACHE_CONTROL}.`,
  ),
  'short-lived-cached': error(
    'a separate response to each request for the time',
    'Have the CDN ask the origin again where max-age is 0 and must-revalidate stands.',
  ),
  'cached-too-long': warning(
    'no snapshot from a cache that is older than max-age and stale-while-revalidate',
    `Have the CDN keep to ${SNAPSHOT_AGES}.`,
  ),
  'vary-missing': error(
    `${HEADERS.vary}: ${READ_VARY} on every cacheable read`,
    'Without it a cache may mix responses with and without a key. Have the proxy keep Vary.',
  ),
  'cors-missing': error(
    'Access-Control-Allow-Origin on every read, errors and 304 included',
    PASS_HEADERS,
  ),
  'cors-origin': error(
    `${HEADERS.accessControlAllowOrigin}: ${CORS.allowOrigin}`,
    'Leave CORS to the service.',
  ),
  'cors-credentials': error('no Access-Control-Allow-Credentials', 'Leave CORS to the service.'),
  'cors-expose': error(
    'the promised headers in Access-Control-Expose-Headers',
    'Without them a page in a browser cannot verify. Leave CORS to the service.',
  ),
  'preflight-wrong': error(
    'a preflight that admits GET with a key and If-None-Match',
    'Have the proxy pass OPTIONS on to the service.',
  ),
  'preflight-offers': error(
    'a preflight that offers GET, HEAD and OPTIONS only',
    'Leave CORS to the service: other sites’ pages must not write.',
  ),
  'cors-on-write': error(
    'no CORS header where something is written',
    'Leave CORS to the service: other sites’ pages must not write.',
  ),
  'clock-skew': error(
    `the clocks of server and this machine within ${DOCTOR_BOUNDS.clockSkewSeconds} s`,
    'Compare both with a time source. Verifiers refuse what is signed in the future.',
  ),
  'date-skew': warning(
    `Date within ${DOCTOR_BOUNDS.clockSkewSeconds} s of the time of signing`,
    'Correct the clock of the proxy or CDN: caches compute ages with Date.',
  ),
  'time-wrong': error(
    '/time to say the time at which it was signed',
    'Deploy again: both come from one clock.',
  ),
  'time-unsynchronized': warning(
    'the quality SYNCHRONIZED at /time',
    'Look at the time source (SVC_NTP_SERVER), and at the machine’s clock.',
  ),
  'time-unverified': info(
    'a time source that /time is measured against',
    'Set SVC_NTP_SERVER to a time server of yours.',
  ),
  'robots-tag-missing': error(
    `${NO_INDEX_HEADERS.join(': ')} on every response of a preview`,
    PASS_HEADERS,
  ),
  'robots-tag-unwanted': error(
    'no X-Robots-Tag with noindex on a primary deployment',
    'Set SVC_DEPLOYMENT=primary, or take the header out of the proxy.',
  ),
  'robots-txt': error(
    'a robots.txt that fits the deployment: a preview is disallowed as a whole',
    'Have the proxy pass /robots.txt on to the service; check SVC_DEPLOYMENT.',
  ),
  'registry-version': warning(
    'the registry version of this program',
    'Run the doctor of the deployed version. What only fits one version was not compared.',
  ),
  'index-differs': error(
    'the rows of this registry version in the discovery index',
    'Deploy again, and purge the cache.',
  ),
  'policy-differs': error(
    'the promises of this registry version in the policy',
    'Deploy again, and purge the cache.',
  ),
  'openapi-differs': error(
    `an OpenAPI ${OPENAPI_VERSION} document with the operations of the index`,
    'Purge the cache: the documents are of two deployments.',
  ),
  'server-address': warning(
    'this address as the server in the OpenAPI document',
    'Set SVC_BASE_URL to the public address; the form and the documents use it.',
  ),
  'endpoint-deprecated': info(
    'no deprecated endpoint in use after its sunset date',
    'Inform the clients of this endpoint about its successor.',
  ),
  'sunset-passed': warning(
    'deprecated endpoints to be removed after their sunset date',
    'Remove the endpoint, or set a later sunset date.',
  ),
  'deprecation-missing': error(
    `${HEADERS.deprecation}, ${HEADERS.sunset} and ${HEADERS.link} with rel="successor-version" on a deprecated endpoint`,
    PASS_HEADERS,
  ),
  'link-missing': error(
    `Link on ${BASE_PATH} with service-desc, service-doc, service-meta and status`,
    PASS_HEADERS,
  ),
  'link-broken': error(
    'a page behind each link',
    'Have the proxy pass all paths on to the service, not only /api.',
  ),
  'plain-http': warning(
    'https',
    'Responses are signed, but keys and registrations would travel readable.',
  ),
  'http-not-redirected': warning(
    'plain http to be redirected to https, or refused',
    'Redirect with 308: an API key that is sent to http is readable on the way.',
  ),
  'server-version': warning(
    'no version number in Server, and no X-Powered-By',
    'Switch it off in the proxy (nginx: server_tokens off).',
  ),
  cookie: error('no cookie', 'The policy says that none exists; switch off what the CDN sets.'),
} as const

export type FindingId = keyof typeof FINDING_CATALOG
