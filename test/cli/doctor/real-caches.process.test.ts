import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import type { FindingId } from '@public-api/cli/src/doctor/finding-catalog.ts'
import { freePort, hasProgram, startCacheProcess } from '../../caches/cache-process.ts'
import { DOCUMENTED, type Layer } from '../../caches/documented-chain.ts'
import { REAL_CLOCK } from '../../caches/simulated-clock.ts'
import { key } from '../../client/scripted-client.ts'
import { svc } from '../../support/run-svc.ts'
import { runApp } from '../../support/running-app.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { liveDependencies } from '../verifying/live-app.ts'
import { SYNCHRONIZED } from './proxied-deployment.ts'

/** Programs as people run them before the service, so that the doctor is held to what they really do. */
interface CacheProgram {
  readonly name: string
  readonly program: 'nginx' | 'varnishd'
  /** Its configuration, and how it is started with that. */
  readonly config: (folder: string, port: number, servicePort: number) => string
  readonly args: (folder: string, file: string, port: number) => readonly string[]
  readonly expected: readonly string[]
}

const nginxConfig =
  (http: string, location: string): CacheProgram['config'] =>
  (folder, port, servicePort) =>
    `
daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log stderr warn;
${userInfo().uid === 0 ? 'user root root;' : ''}
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((way) => `${way}_temp_path ${folder}/${way};`).join(' ')}
  proxy_cache_path ${folder}/cache keys_zone=all:1m;
  ${http}
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${servicePort};
      proxy_set_header Host $http_host;
      ${location}
    }
  }
}
`

const nginxArgs: CacheProgram['args'] = (folder, file) => ['-p', folder, '-e', 'stderr', '-c', file]
const COMPRESSING = 'gzip on; gzip_types application/json; gzip_proxied any; gzip_min_length 100;'

const CACHES: readonly CacheProgram[] = [
  {
    name: 'nginx that passes on and compresses as it should',
    program: 'nginx',
    config: nginxConfig(`server_tokens off; ${COMPRESSING} gzip_vary on;`, ''),
    args: nginxArgs,
    expected: [],
  },
  {
    name: 'nginx that compresses without Vary and reveals its version',
    program: 'nginx',
    config: nginxConfig(COMPRESSING, ''),
    args: nginxArgs,
    expected: ['coding-vary', 'server-version'],
  },
  {
    name: 'nginx that caches whatever it gets',
    program: 'nginx',
    config: nginxConfig(
      'server_tokens off;',
      'proxy_cache all; proxy_cache_valid any 1m; proxy_ignore_headers Cache-Control;',
    ),
    args: nginxArgs,
    expected: [
      'head-proof',
      'message-signature-derived',
      'no-store-cached',
      'not-modified-from-cache',
      'short-lived-cached',
    ],
  },
  {
    name: 'Varnish as it comes',
    program: 'varnishd',
    config: (_folder, _port, servicePort) =>
      `vcl 4.1;\nbackend default { .host = "127.0.0.1"; .port = "${servicePort}"; }\n`,
    args: (folder, file, port) =>
      `-F -n ${folder}/work -a 127.0.0.1:${port} -f ${file} -s malloc,32m -j none`.split(' '),
    expected: [
      'accept-ranges',
      'date-compared',
      'head-proof',
      'machine-named',
      'message-signature-derived',
      'not-modified-from-cache',
      'range-cut',
    ],
  },
]

type Start = (port: number, servicePort: number) => Promise<unknown>

/** A line that takes the place of another one of a documented file, and the findings that this alone leads to. */
type Misconfiguration = readonly [
  layer: Layer,
  documented: string,
  instead: string,
  expected: readonly FindingId[],
]

const nginxServer = '  # The digest is over what the client decodes.'
const inLocation = '    proxy_cache_convert_head off;'
const hiding = (name: string, ...expected: readonly FindingId[]): Misconfiguration => [
  'nginx',
  inLocation,
  `${inLocation} proxy_hide_header ${name};`,
  expected,
]
const saying = (
  name: string,
  value: string,
  ...expected: readonly FindingId[]
): Misconfiguration => ['nginx', nginxServer, `add_header ${name} "${value}" always;`, expected]

const MISCONFIGURATIONS: readonly Misconfiguration[] = [
  ['nginx', 'max_ranges 0;', 'proxy_force_ranges on;', ['accept-ranges', 'range-cut']],
  ['nginx', 'server_tokens off;', '', ['server-version']],
  ['nginx', 'gzip_vary on;', '', ['coding-vary']],
  ['nginx', 'add_header ETag $upstream_http_etag always;', '', ['etag-missing']],
  ['nginx', inLocation, `${inLocation} limit_except GET OPTIONS { deny all; }`, ['post-refused']],
  ['nginx', nginxServer, 'location = /robots.txt { return 404; }', ['robots-txt']],
  [
    'nginx',
    inLocation,
    `${inLocation} proxy_intercept_errors on; error_page 404 /en;`,
    ['error-replaced'],
  ],
  [
    'nginx',
    inLocation,
    `${inLocation} sub_filter_types application/json; sub_filter VS- vs-; sub_filter_once off;`,
    ['body-changed', 'etag-missing'],
  ],
  hiding('Content-Digest', 'digest-dropped'),
  hiding('X-SVC-Signature', 'signature-dropped'),
  hiding('X-SVC-API-Version', 'api-version-missing'),
  hiding('X-SVC-Revalidated', 'not-modified-unproved'),
  hiding('X-Request-Id', 'request-id-missing'),
  hiding('Allow', 'allow-missing'),
  hiding('WWW-Authenticate', 'challenge-missing'),
  hiding('Access-Control-Allow-Origin', 'cors-missing', 'preflight-wrong'),
  hiding('Access-Control-Expose-Headers', 'cors-expose'),
  hiding('Link', 'link-missing'),
  hiding('Signature-Input', 'message-signature-missing'),
  saying('Accept-Ranges', 'bytes', 'accept-ranges'),
  saying('Access-Control-Allow-Credentials', 'true', 'cors-credentials', 'cors-on-write'),
  saying('X-Robots-Tag', 'noindex', 'robots-tag-unwanted'),
  saying('Set-Cookie', 'a=1', 'cookie'),
  saying('X-Powered-By', 'x', 'server-version'),
  ['Varnish', 'unset req.http.Range;', '', ['range-cut']],
  ['Varnish', 'unset req.http.If-Modified-Since;', '', ['date-compared']],
  ['Varnish', 'unset resp.http.Accept-Ranges;', '', ['accept-ranges']],
  ['Varnish', 'unset resp.http.Via;', '', ['machine-named']],
  ['Squid', 'cache deny ranged', '', ['range-cut']],
  ['Squid', 'cache deny dated', '', ['date-compared']],
  ['Apache', 'RequestHeader unset Range early', '', ['range-cut']],
  ['Apache', 'DeflateAlterETag NoChange', '', ['coding-etag']],
  [
    'Caddy',
    '\theader -Server',
    '\theader Access-Control-Allow-Origin https://a.example',
    ['cors-on-write', 'cors-origin', 'preflight-wrong'],
  ],
]

/** Lets the doctor look at a service behind a program. */
async function expectFindings(t: TestContext, start: Start, expected: readonly string[]) {
  const port = await freePort()
  const app = await runApp(t, {
    ...liveDependencies(),
    baseUrl: `http://127.0.0.1:${port}`,
    timeQuality: { quality: () => SYNCHRONIZED, close() {} },
  })
  await start(port, app.port)
  const { out, error } = await svc(
    'doctor',
    `http://127.0.0.1:${port}`,
    '--pin',
    key.keyId,
    '--json',
  )
  const { checks } = JSON.parse(out) as {
    readonly checks: readonly { readonly findings: readonly { readonly id: string }[] }[]
  }
  const ids = new Set(checks.flatMap(({ findings }) => findings.map(({ id }) => id)))
  // The linked documentation page is not cached.
  ids.delete('link-broken')
  // What the documented Varnish does until the service has renewed its copy.
  ids.delete('revalidation-whole')
  assert.deepEqual([...ids].toSorted(), expected, `${error}${out}`)
}

for (const cache of CACHES) {
  const missing = hasProgram(cache.program) ? undefined : `${cache.program} is not installed`
  test(`${cache.name}: ${cache.expected.join(', ') || 'no finding'}`, { skip: missing }, (t) =>
    expectFindings(
      t,
      async (port, servicePort) => {
        const folder = temporaryFolder(t)
        mkdirSync(path.join(folder, 'cache'))
        const file = path.join(folder, 'config')
        writeFileSync(file, cache.config(folder, port, servicePort))
        await startCacheProcess(t, port, cache.program, cache.args(folder, file, port), {})
      },
      cache.expected,
    ),
  )
}

for (const [layer, documented, instead, expected] of MISCONFIGURATIONS) {
  const { start, missing } = DOCUMENTED[layer]
  const name = `${layer}, ${documented.trim()} → ${instead.trim() || 'nothing'}`
  test(`${name}: ${expected.join(', ') || 'no finding'}`, { skip: missing }, (t) =>
    expectFindings(
      t,
      (port, servicePort) => start(t, servicePort, REAL_CLOCK, { [documented]: instead }, port),
      expected,
    ),
  )
}
