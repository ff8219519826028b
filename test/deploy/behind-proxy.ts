import { readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { configuredFrom, freePort, startCacheProcess } from '../caches/cache-process.ts'
import { createCertificate, type Certificate } from '../support/certificate.ts'
import { servedKeyId, startService } from '../support/service-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const NAME = 'api.example.org'

/** A proxy with TLS. */
interface Proxy {
  readonly program: string
  /** Writes the configuration of deploy/ for this machine and returns the program's arguments. */
  configure(
    folder: string,
    ports: { readonly https: number; readonly http: number; readonly service: number },
    certificate: Certificate,
  ): readonly string[]
}

/** The proxies of deploy/, each with its configuration. */
export const PROXIES: readonly Proxy[] = [
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

/** Starts a service behind a proxy, with a certificate for localhost. */
export async function startBehind(t: TestContext, { program, configure }: Proxy) {
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
