import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { BASE_PATH, OPENAPI_VERSION } from '@public-api/contract/terms/api-version'
import {
  CORS,
  ERROR_CACHE_CONTROL,
  HEADERS,
  NO_INDEX_HEADERS,
  READ_VARY,
  RESPONSE_CONTENT_TYPE,
} from '@public-api/contract/terms/headers'
import { LIMITS, SIGNATURE_MAX_AGE_SECONDS } from '@public-api/contract/terms/limits'
import { DOCTOR_BOUNDS } from './doctor-bounds.ts'

/** Creates kinds of findings of one severity: what was expected, and what to do. */
const findingOf =
  (severity: 'error' | 'warning' | 'info') => (expected: string, advice: string) => ({
    severity,
    expected,
    advice,
  })
const error = findingOf('error')
const warning = findingOf('warning')
const info = findingOf('info')

const PASS_HEADERS = 'Configure the proxy or CDN to forward the header unchanged.'
const NO_TRANSFORM =
  'Disable everything that rewrites bodies in transit (minifying, injecting, character conversion).'

const COPY_HOST = 'Use the configuration in deploy/copy, or the file _headers in the copy.'

const OBEY_ORIGIN = 'Configure the CDN to obey and forward Cache-Control of the origin.'

const NO_CORS = 'Leave CORS to the service, because pages of other sites must not write.'

const DEPLOY_AGAIN = 'Deploy again, and purge the cache.'

/** Every finding of `svc doctor`, by its id. Scripts use the ids: a released id never changes its meaning. */
export const FINDING_CATALOG = {
  'no-response': error(
    'a response to each request',
    'Check the logs of the proxy and the service for this time.',
  ),
  'not-this-service': error(
    `the discovery index of this service at ${BASE_PATH}`,
    'Check the URL. If a proxy is in front, check where it sends /api.',
  ),
  'unexpected-status': error(
    'the status that the registry promises',
    'Find out which server responded. The service sends no Server or Via header; a proxy may.',
  ),
  'snapshot-unavailable': error(
    'a response for every published snapshot',
    'A resource of the release is damaged; the log names it. Restore it and restart.',
  ),
  'error-replaced': error(
    'the service’s own JSON errors',
    'Disable the error pages of the proxy for /api.',
  ),
  'content-type': error(`${HEADERS.contentType}: ${RESPONSE_CONTENT_TYPE}`, PASS_HEADERS),
  'wrong-shape': error(
    'a body that matches the schema of its endpoint',
    'The deployment runs another version than it reports. Deploy it again.',
  ),
  'api-version-missing': error('X-SVC-API-Version on every response of the API', PASS_HEADERS),
  'allow-missing': error('Allow on a 405, with the methods of the path', PASS_HEADERS),
  'challenge-missing': error('WWW-Authenticate: Bearer on a 401', PASS_HEADERS),
  'request-id-missing': error('X-Request-Id on every response with a body', PASS_HEADERS),
  'request-id-wrong': error(
    'X-Request-Id equal to requestId in the body',
    'Configure the proxy to use another header for its own ids.',
  ),
  'signing-off': error(
    'signed responses',
    'Set the signing key (signing-key.pem or SVC_SIGNING_KEY) and restart.',
  ),
  'signature-dropped': error(
    'X-SVC-Signed-At and X-SVC-Signature on every response with a body',
    PASS_HEADERS,
  ),
  'digest-dropped': error('Content-Digest on every response with a body', PASS_HEADERS),
  'digest-changed': error(
    'Content-Digest as it was signed, with sha-256 alone',
    'Configure the proxy not to add digests or change Content-Digest, because it is signed.',
  ),
  'body-changed': error('the bytes that were signed', NO_TRANSFORM),
  'signature-wrong': error(
    'a signature over this method, path, query and status',
    'Configure the proxy to forward method, path and query unchanged, and to keep the status. A cache must store each path separately.',
  ),
  'query-ignored': error(
    'a response to the query that was sent',
    'Include the query in the cache key, because it is signed.',
  ),
  'response-too-old': error(
    `responses signed or renewed by a 304 within the last ${LIMITS.signatureMaxAgeSeconds} s`,
    'Configure the cache to obey Cache-Control, and to copy X-SVC-Revalidated from a 304 into the stored response.',
  ),
  'signed-in-future': error(
    'signatures that are not in the future by the clock of the service',
    'The clocks of the machines behind this URL differ. Synchronize each of them with NTP (chrony, systemd-timesyncd).',
  ),
  'etag-missing': error('an ETag on every successful read', PASS_HEADERS),
  'etag-strong': error(
    'the weak ETag of the service',
    'Configure the proxy to keep weak ETags, because clients compute the tag from the body.',
  ),
  'etag-changed': error('the hash of the data as ETag', 'Configure the proxy not to create ETags.'),
  'key-document-unusable': error(
    'a signing-key document with at least one Ed25519 key',
    `Check signing-keys.json, and whether the proxy changes ${ENDPOINTS.signingKey.path}.`,
  ),
  'key-mismatch': error(
    'responses signed by a key of the key document',
    'Purge the key document from the cache; check that all machines have the same signing key.',
  ),
  'key-not-current': error(
    'responses signed by the key that is marked current',
    'Purge the cache after a key change, and check that all machines use the new key.',
  ),
  'key-id-wrong': error(
    'keyId equal to the RFC 7638 thumbprint of the key',
    'Deploy again, because this program computes the ids that it publishes.',
  ),
  'key-period': error(
    'a current key whose period (notBefore, notAfter) includes now',
    'Correct signing-keys.json, or rotate to the next key.',
  ),
  'key-ends-soon': warning(
    `a current key that is valid for at least ${DOCTOR_BOUNDS.keyNoticeDays} more days`,
    'Announce the next key now, so that clients can pin it.',
  ),
  'pin-mismatch': error(
    'a current key that is pinned',
    'Compare the key IDs. If you did not change the key, this is not your service.',
  ),
  'next-not-pinned': warning(
    'an announced next key that is pinned too',
    'Add the ID of the next key to the pins before it signs.',
  ),
  'keys-not-published': warning(
    'the key IDs in a DNS record or on another site, which this service does not control',
    'Publish the output of svc signing-key record, so that readers can use --pin-from.',
  ),
  'not-pinned': info(
    'a key ID from another source than the server, passed as --pin',
    'Pass --pin. Without it, a copy of the service with its own key passes every check.',
  ),
  'head-status': error(
    'the same status for HEAD as for GET',
    'Configure the proxy to forward HEAD unchanged.',
  ),
  'head-proof': warning(
    'HEAD without Content-Digest, signature headers and X-Request-Id',
    'The proxy converts HEAD to GET, or a cache responds to it. Verifiers reject these headers on HEAD.',
  ),
  'head-etag': error('the same ETag for HEAD as for GET', PASS_HEADERS),
  'coding-unrequested': error(
    'only a requested content coding',
    'Configure the proxy to compress according to Accept-Encoding, or not at all.',
  ),
  'coding-broken': error(
    'a body in the coding that Content-Encoding names',
    'Check whether two proxies compress the response.',
  ),
  'coding-body': error(
    'compression that preserves the body and its proof',
    `The digest is over the uncompressed bytes. ${NO_TRANSFORM}`,
  ),
  'coding-headers': error(
    'the signature headers on compressed responses',
    'Configure the proxy to keep Content-Digest and X-SVC-* when it compresses.',
  ),
  'coding-etag': error(
    'the same weak ETag on compressed responses',
    'Configure the proxy to keep the weak ETag, which compression does not affect.',
  ),
  'coding-vary': warning(
    'Vary: Accept-Encoding on compressed responses',
    'Without it a cache may send compressed bodies to clients that cannot read them. Varnish drops it with a 304; docs/caches/default.vcl restores it.',
  ),
  'revalidation-ignored': error(
    '304 for an If-None-Match with the current ETag, or a complete signed response',
    'Configure the proxy to forward If-None-Match and 304.',
  ),
  'revalidation-whole': info(
    '304 for an If-None-Match with the current ETag',
    'A cache sends its complete copy, which is valid but costs bytes. Some caches do so until the service has renewed their copy.',
  ),
  'revalidation-wrong': error(
    '200 for an If-None-Match with another ETag',
    'Check the cache: with a 304 for any ETag, clients keep old content.',
  ),
  'not-modified-signed': error(
    'a 304 without Content-Digest, signature headers and X-Request-Id',
    'Remove the source of these headers. A cache merges them into a stored response with another body.',
  ),
  'not-modified-from-cache': warning(
    'a 304 of a cache without the proof of its stored copy',
    'Configure the cache to remove Content-Digest, X-SVC-Signed-At, X-SVC-Signature and X-Request-Id from a 304. A browser merges them into an older copy, which then fails verification.',
  ),
  'not-modified-unproved': error('X-SVC-Revalidated on a 304 of the service', PASS_HEADERS),
  'not-modified-proof-wrong': error(
    'an X-SVC-Revalidated that proves this 304',
    'Configure the proxy to forward target and ETag unchanged, and not to store 304 responses.',
  ),
  'not-modified-headers': warning('ETag, Cache-Control and Vary on a 304', PASS_HEADERS),
  'cache-control': error('the Cache-Control of the endpoint’s cache class', OBEY_ORIGIN),
  'error-cacheable': error(
    `${HEADERS.cacheControl}: ${ERROR_CACHE_CONTROL} on errors and key holders’ responses`,
    OBEY_ORIGIN,
  ),
  'no-store-cached': error(
    'a new response to each request for an uncacheable resource',
    `Disable caching of errors and of responses with ${ERROR_CACHE_CONTROL}.`,
  ),
  'short-lived-cached': error(
    'a new response to each request for the time',
    'Configure the CDN to revalidate responses with max-age=0 and must-revalidate.',
  ),
  'cached-too-long': warning(
    `cached snapshots no older than ${DOCTOR_BOUNDS.cachedAgeSeconds} s`,
    'Use the files of docs/caches for each cache on the way: each adds its own lifetime to that of the one behind it. Configure a CDN to obey Cache-Control and to send Age.',
  ),
  'accept-ranges': warning(
    'no Accept-Ranges, because the service does not send it',
    'Remove it: with it, the next cache cuts signed responses (nginx: max_ranges 0; Varnish: unset resp.http.Accept-Ranges).',
  ),
  'range-cut': error(
    'the whole response to a request with Range',
    'A part has the digest and signature of the whole, so a resumed download mixes two responses. nginx: max_ranges 0. Varnish: unset req.http.Range. Squid: cache deny for requests with Range. Apache: RequestHeader unset Range early.',
  ),
  'date-compared': error(
    'the whole response to a request with If-Modified-Since, because responses have no date of their data',
    'The cache makes a 304 without proof. Varnish: unset req.http.If-Modified-Since. Squid: cache deny for requests with it. nginx: if_modified_since off.',
  ),
  'post-refused': error(
    'the service’s own response to POST',
    'Allow POST at the CDN or proxy (CloudFront: allowed methods; nginx: limit_except). Registrations need it.',
  ),
  'machine-named': info(
    'no name of a machine and no version in Via and Cache-Status',
    'Remove both fields in the cache (Squid: via off, and reply_header_access Cache-Status deny all; Varnish and Vinyl Cache: unset resp.http.Via).',
  ),
  'vary-missing': error(
    `${HEADERS.vary}: ${READ_VARY} on every cacheable read`,
    'Configure the proxy to keep Vary. Without it a cache may mix responses with and without a key.',
  ),
  'message-signature-missing': error(
    `${HEADERS.signatureInput} and ${HEADERS.messageSignature} (RFC 9421) on a response to ${HEADERS.acceptSignature}`,
    `Configure the proxy or CDN to forward ${HEADERS.acceptSignature}, ${HEADERS.signatureInput} and ${HEADERS.messageSignature} unchanged.`,
  ),
  'message-signature-wrong': error(
    'a signature (RFC 9421) of a published key over the requested URI',
    'Set SVC_BASE_URL to the origin that clients use. If it is, find what changes the status, Content-Digest or the signature.',
  ),
  'message-signature-uri': error(
    'a signature (RFC 9421) over the scheme that clients use',
    'Set SVC_BASE_URL to the origin that clients use, with its scheme.',
  ),
  'message-signature-time': error(
    `a signature (RFC 9421) no older than ${SIGNATURE_MAX_AGE_SECONDS} seconds and not in the future`,
    'Check the clocks of all nodes, and how long caches keep responses.',
  ),
  'message-signature-stored': error(
    'a new response, with Cache-Control: no-store, to each request with a nonce',
    'Configure the CDN to obey Cache-Control and Vary of the origin.',
  ),
  'message-signature-vary': warning(
    `a signature (RFC 9421) on responses to requests with ${HEADERS.acceptSignature}, and on no others`,
    `A cache ignores ${HEADERS.vary}: ${HEADERS.acceptSignature}. Clients that verify RFC 9421 must use a nonce here.`,
  ),
  'message-signature-derived': error(
    `no ${HEADERS.messageSignature} on HEAD and 304 responses`,
    `Configure the cache to remove ${HEADERS.signatureInput} and ${HEADERS.messageSignature} from responses that it derives from a stored GET (docs/caches).`,
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
    'Leave CORS to the service. Without these headers, pages in browsers cannot verify responses.',
  ),
  'preflight-wrong': error(
    'a preflight response that allows GET with a key and If-None-Match',
    'Configure the proxy to forward OPTIONS to the service.',
  ),
  'preflight-offers': error('a preflight response that allows only GET, HEAD and OPTIONS', NO_CORS),
  'cors-on-write': error('no CORS header on write endpoints', NO_CORS),
  'clock-skew': error(
    `clocks of the server and this machine that differ by at most ${DOCTOR_BOUNDS.clockSkewSeconds} s`,
    'Compare both with a time source. Verifiers reject signatures from the future.',
  ),
  'date-skew': warning(
    `a Date within ${DOCTOR_BOUNDS.clockSkewSeconds} s of X-SVC-Signed-At`,
    'Correct the clock of the proxy or CDN, because caches compute ages from Date.',
  ),
  'future-version': warning(
    'a newest version that is at most 5 minutes ahead of the clock of the service',
    'Compare the clocks of publisher and server. Later versions keep a time after this one, so correct the clock first.',
  ),
  'time-wrong': error(
    'a time at /time that equals the time of its signature',
    'Deploy again, because both come from the same clock.',
  ),
  'time-unsynchronized': warning(
    'the quality SYNCHRONIZED at /time',
    'Check the time source (SVC_NTP_SERVER) and the clock of the machine.',
  ),
  'time-unverified': info(
    'a time source that measures the quality of /time',
    'Set SVC_NTP_SERVER to a time server that you trust.',
  ),
  'robots-tag-missing': error(
    `${NO_INDEX_HEADERS.join(': ')} on every response of a staging deployment`,
    PASS_HEADERS,
  ),
  'robots-tag-unwanted': error(
    'no X-Robots-Tag with noindex on a primary deployment',
    'Set SVC_DEPLOYMENT=primary, or remove the header from the proxy.',
  ),
  'robots-txt': error(
    'a robots.txt for this kind of deployment: a staging one disallows everything',
    'Configure the proxy to forward /robots.txt to the service, and check SVC_DEPLOYMENT.',
  ),
  'registry-version': warning(
    'the registry version of this program',
    'Run the doctor of the deployed version. Checks that depend on the version were skipped.',
  ),
  'index-differs': error('the rows of this registry version in the discovery index', DEPLOY_AGAIN),
  'policy-differs': error('the promises of this registry version in the policy', DEPLOY_AGAIN),
  'openapi-differs': error(
    `an OpenAPI ${OPENAPI_VERSION} document with the operations of the index`,
    'Purge the cache, because the documents are from two deployments.',
  ),
  'server-address': warning(
    'this URL as the server in the OpenAPI document',
    'Set SVC_BASE_URL to the public URL, which the form and the documents use.',
  ),
  'endpoint-deprecated': info(
    'no use of a deprecated endpoint after its sunset date',
    'Inform the clients of this endpoint about its successor.',
  ),
  'sunset-passed': warning(
    'no deprecated endpoint after its sunset date',
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
    'Configure the proxy to forward all paths to the service, not only /api.',
  ),
  'plain-http': warning(
    'https',
    'Use https. Responses are signed, but keys and registrations are sent as plain text.',
  ),
  'http-not-redirected': warning(
    'a redirect from http to https, or a refusal',
    'Redirect with 308. An API key sent over http can be read in transit.',
  ),
  'server-version': warning(
    'no version number in Server, and no X-Powered-By',
    'Disable it in the proxy (nginx: server_tokens off).',
  ),
  'releases-owner': warning(
    'one owner of everything in the releases folder, as whom svc publish and the cosign timer run',
    'Give the files to this owner, and enable the timer as public-api-cosign@OWNER.timer.',
  ),
  'old-units': warning(
    "the units of this release in systemd's folder",
    'Copy them again, and disable timers that no longer exist: docs/operating.md, "Upgrade". svc check --config names each.',
  ),
  'copy-missing': error(
    'every file of the copy',
    'Publish the whole folder that svc site wrote. Delete its site.json to write every file again.',
  ),
  'copy-fallback': error(
    'status 404 for an address without a file',
    'Disable the fallback of the host that answers every address with a page (of single-page applications, or of php -S).',
  ),
  'copy-hidden': error(
    'the files below .well-known',
    'Configure the host to serve names that begin with a dot.',
  ),
  'copy-not-found-page': warning(
    '404.html of the copy for an address without a file',
    `The host sends a page of its own. ${COPY_HOST}`,
  ),
  'copy-slashless': error(
    'each page at its address without a slash at the end, or a redirect to the one with it',
    'Configure the host to serve index.html of a folder, also for the address without a slash.',
  ),
  'copy-redirect': error(
    'each file at its own address, without a redirect',
    'Configure the host to serve index.html of a folder, and not to rewrite addresses.',
  ),
  'copy-changed': error(
    'the bytes whose digest the signed version or site.json states',
    'Run svc site, which completes a run that was cut off, and publish the copy. If that does not help, delete its site.json, run it again, and find out who changed the file.',
  ),
  'copy-kept': error(
    'status 404 or 410 for what was redacted',
    'Remove the file from the host and its caches, and all else that the copy does not have. The scripts in deploy/copy do so at each upload.',
  ),
  'copy-proof': error(
    'a now.json that the keys of this service verify',
    'Run svc site DIR --now URL with the URL of this service, and publish now.json.',
  ),
  'copy-old': warning(
    `a proof of the last ${DOCTOR_BOUNDS.copyAgeSeconds / 60} minutes`,
    'Check the timer or workflow that refreshes the copy. GitHub disables a schedule after 60 days without activity in its repository.',
  ),
  'copy-behind': warning(
    'a proof of the newest version',
    'Wait for the next refresh. If it lasts, check that the releases folder of the copy is updated.',
  ),
  'copy-type': warning('the media type of the file', COPY_HOST),
  'copy-cors': error('Access-Control-Allow-Origin: * on data', COPY_HOST),
  'copy-cached': warning(
    `at most ${DOCTOR_BOUNDS.copyCacheSeconds / 60} minutes in caches for pages and for what names the newest version`,
    COPY_HOST,
  ),
  'copy-partly-read': info(
    'all files of the copy',
    'Read all of them with --all-files. svc audit --mirror URL compares all versions of the copy with the log.',
  ),
  cookie: error('no cookie', 'Disable the cookie of the CDN. The policy promises no cookies.'),
} as const

export type FindingId = keyof typeof FINDING_CATALOG
