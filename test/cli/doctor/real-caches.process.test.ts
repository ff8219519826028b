import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { freePort, hasProgram, startCacheProcess } from '../../caches/cache-process.ts'
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
    expected: ['head-proof', 'message-signature-derived', 'not-modified-from-cache'],
  },
]

async function startCache(t: TestContext, cache: CacheProgram): Promise<string> {
  const port = await freePort()
  const app = await runApp(t, {
    ...liveDependencies(),
    baseUrl: `http://127.0.0.1:${port}`,
    timeQuality: { quality: () => SYNCHRONIZED, close() {} },
  })
  const folder = temporaryFolder(t)
  mkdirSync(path.join(folder, 'cache'))
  const file = path.join(folder, 'config')
  writeFileSync(file, cache.config(folder, port, app.port))
  await startCacheProcess(t, port, cache.program, cache.args(folder, file, port), {})
  return `http://127.0.0.1:${port}`
}

for (const cache of CACHES) {
  test(`${cache.name}: ${cache.expected.join(', ') || 'no finding'}`, async (t) => {
    if (!hasProgram(cache.program)) return t.skip(`${cache.program} is not installed`)
    const origin = await startCache(t, cache)
    const { out, error } = await svc('doctor', origin, '--pin', key.keyId, '--json')
    const { checks } = JSON.parse(out) as {
      readonly checks: readonly { readonly findings: readonly { readonly id: string }[] }[]
    }
    const ids = checks.flatMap(({ findings }) => findings.map(({ id }) => id))
    // The linked documentation page is not cached.
    const found = ids.filter((id) => id !== 'link-broken')
    assert.deepEqual(found.toSorted(), cache.expected, `${error}${out}`)
  })
}
