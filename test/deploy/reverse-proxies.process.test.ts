import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { userInfo } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { configuredFrom, freePort, hasProgram, startCacheProcess } from '../caches/cache-process.ts'
import { createCertificate, type Certificate } from '../support/certificate.ts'
import { outcomeOf, SVC } from '../support/run-program.ts'
import { servedKeyId, startService } from '../support/service-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const NAME = 'api.example.org'

interface Proxy {
  readonly program: string
  /** Writes the configuration of deploy/ for this machine and returns the program's arguments. */
  configure(
    folder: string,
    ports: { readonly https: number; readonly http: number; readonly service: number },
    certificate: Certificate,
  ): readonly string[]
}

const PROXIES: readonly Proxy[] = [
  {
    program: 'nginx',
    configure(folder, { https, http, service }, { certificate, key }) {
      const documented = readFileSync('deploy/nginx/public-api.conf', 'utf8')
        .replaceAll(NAME, 'localhost')
        .replaceAll(/^ *listen \[::\].*\n/gm, '')
      const site = configuredFrom(documented, {
        '/var/cache/nginx/public-api': path.join(folder, 'cache'),
        '127.0.0.1:8080': `127.0.0.1:${service}`,
        'listen 443': `listen 127.0.0.1:${https}`,
        'listen 80;': `listen 127.0.0.1:${http};`,
        '/etc/letsencrypt/live/localhost/fullchain.pem': certificate,
        '/etc/letsencrypt/live/localhost/privkey.pem': key,
      })
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (way) => `${way}_temp_path ${path.join(folder, way)};`,
      )
      const file = path.join(folder, 'nginx.conf')
      const user = userInfo().uid === 0 ? 'user root root;' : ''
      const http1 = ['http {', ...temporary, site, '}']
      const lines = ['daemon off;', `pid ${folder}/pid;`, user, 'events {}', ...http1]
      writeFileSync(file, lines.join('\n'))
      return ['-p', folder, '-e', 'stderr', '-c', file]
    },
  },
  {
    program: 'caddy',
    configure(folder, { https, http, service }, { certificate, key }) {
      const documented = readFileSync('deploy/caddy/Caddyfile', 'utf8')
      const site = configuredFrom(documented, {
        '\tservers {': `\tadmin off\n\thttp_port ${http}\n\tstorage file_system ${folder}\n\tservers {`,
        [`${NAME} {`]: `https://localhost:${https} {\n\ttls ${certificate} ${key}`,
        '127.0.0.1:8080': `127.0.0.1:${service}`,
      })
      const file = path.join(folder, 'Caddyfile')
      writeFileSync(file, site)
      return ['run', '--config', file, '--adapter', 'caddyfile']
    },
  },
  {
    program: 'apache2',
    configure(folder, { https, http, service }, { certificate, key }) {
      const documented = readFileSync('deploy/apache/public-api.conf', 'utf8')
        .replaceAll(`ServerName ${NAME}`, 'ServerName localhost')
        .replaceAll(NAME, 'localhost')
      const site = configuredFrom(documented, {
        '127.0.0.1:8080': `127.0.0.1:${service}`,
        '<VirtualHost *:443>': `<VirtualHost 127.0.0.1:${https}>`,
        '<VirtualHost *:80>': `<VirtualHost 127.0.0.1:${http}>`,
        '/etc/letsencrypt/live/localhost/fullchain.pem': certificate,
        '/etc/letsencrypt/live/localhost/privkey.pem': key,
      })
      const named = /a2enmod (.+)/.exec(site)?.[1]?.split(' ') ?? []
      const modules = ['mpm_event', 'authz_core', 'socache_shmcb', ...named].map(
        (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
      )
      // Apache does not serve as root.
      const user = userInfo().uid === 0 ? ['User www-data', 'Group www-data'] : []
      const paths = [`ServerRoot ${folder}`, `DefaultRuntimeDir ${folder}`, `PidFile ${folder}/pid`]
      const listen = [https, http].map((port) => `Listen 127.0.0.1:${port}`)
      const global = [...paths, `ErrorLog ${folder}/error.log`, 'ServerTokens Prod']
      const file = path.join(folder, 'apache.conf')
      writeFileSync(file, [...modules, ...global, ...user, ...listen, site].join('\n'))
      return ['-DFOREGROUND', '-f', file]
    },
  },
]

function httpVersionOf(port: number, ca: string): Promise<string | undefined> {
  const session = connectHttp2(`https://localhost:${port}`, { ca: readFileSync(ca) })
  return new Promise((resolve, reject) => {
    session.once('error', reject)
    session.once('connect', () => {
      resolve(session.alpnProtocol)
      session.close()
    })
  })
}

async function startBehind(t: TestContext, { program, configure }: Proxy) {
  const folder = temporaryFolder(t)
  const certificate = createCertificate(folder)
  const [https, http, servicePort] = [await freePort(), await freePort(), await freePort()]
  const service = startService(t, folder, {
    PORT: String(servicePort),
    SVC_BASE_URL: `https://localhost:${https}`,
    SVC_TRUSTED_PROXIES: '127.0.0.1',
    SVC_RELEASES_DIR: path.resolve('releases'),
    SVC_DATA_DIR: path.join(folder, 'data'),
    SVC_SECRETS_DIR: path.join(folder, 'secrets'),
  })
  const { origin } = await service.serving()
  const args = configure(folder, { https, http, service: servicePort }, certificate)
  await startCacheProcess(t, https, program, args, { HOME: folder })
  return { https, http, keyId: await servedKeyId(origin), ca: certificate.certificate }
}

for (const proxy of PROXIES) {
  const missing = hasProgram(proxy.program) ? undefined : `${proxy.program} is not installed`
  test(`svc doctor finds nothing behind ${proxy.program}`, { skip: missing }, async (t) => {
    const { https, http, keyId, ca } = await startBehind(t, proxy)
    const args = ['doctor', `https://localhost:${https}`, '--pin', keyId, '--json']
    const child = spawn(process.execPath, [SVC, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_EXTRA_CA_CERTS: ca },
    })
    const { status, out, error } = await outcomeOf(child)
    assert.notEqual(out, '', error)
    const { errors, warnings } = JSON.parse(out) as {
      readonly errors: number
      readonly warnings: number
    }
    assert.deepEqual({ errors, warnings }, { errors: 0, warnings: 0 }, out + error)
    assert.equal(status, 0, error)

    assert.equal(await httpVersionOf(https, ca), 'h2')
    const redirect = await fetch(`http://localhost:${http}/en?a=1`, { redirect: 'manual' })
    assert.equal(redirect.status, 308)
    const location = new URL(redirect.headers.get('location') ?? '')
    assert.equal(`${location.protocol}${location.pathname}${location.search}`, 'https:/en?a=1')
  })
}

test('the TLS configuration of nginx has every cache directive of docs/caches', () => {
  const directivesOf = (file: string) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /^(?:proxy_|gzip|map|default off)/.test(line))
  const full = new Set(directivesOf('deploy/nginx/public-api.conf'))
  const missing = directivesOf('docs/caches/nginx.conf').filter((line) => !full.has(line))
  assert.deepEqual(missing, [
    // The first proxy replaces what a client sent.
    'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
  ])
})
