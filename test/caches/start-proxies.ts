import { userInfo } from 'node:os'
import { cacheMissing, createCacheStarter } from './cache-starter.ts'

/** Starts Caddy as documented, without TLS. It stores nothing, so that its clock, which no library can move, does not count. */
export const startCaddy = createCacheStarter({
  program: 'caddy',
  documented: 'deploy/caddy/Caddyfile',
  edits: ({ folder, port, servicePort }) => ({
    '\tservers {': `\tadmin off\n\tauto_https off\n\tstorage file_system ${folder}\n\tservers {`,
    '\napi.example.org {': `\nhttp://:${port} {\n\tbind 127.0.0.1`,
    '127.0.0.1:8080': `127.0.0.1:${servicePort}`,
  }),
  args: ({ file }) => ['run', '--config', file, '--adapter', 'caddyfile'],
})

/** Starts Apache as documented, without TLS, and on one port. */
export const startApache = createCacheStarter({
  program: 'apache2',
  documented: 'deploy/apache/public-api.conf',
  edits: ({ port, servicePort }) => ({
    '<VirtualHost *:443>': `<VirtualHost 127.0.0.1:${port}>`,
    '127.0.0.1:8080': `127.0.0.1:${servicePort}`,
  }),
  configure(documented, { folder, port }) {
    const named = /a2enmod (.+)/.exec(documented)?.[1]?.split(' ') ?? []
    const modules = ['mpm_event', 'authz_core', ...named.filter((name) => name !== 'ssl')].map(
      (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
    )
    // Apache does not serve as root.
    const user = userInfo().uid === 0 ? ['User www-data', 'Group www-data'] : []
    const paths = [`ServerRoot ${folder}`, `DefaultRuntimeDir ${folder}`, `PidFile ${folder}/pid`]
    return [
      ...modules,
      ...user,
      ...paths,
      `ErrorLog ${folder}/error.log`,
      'ServerTokens Prod',
      `Listen 127.0.0.1:${port}`,
      documented
        .replaceAll(/^ *SSL.*\n/gm, '')
        .replace(/<VirtualHost \*:80>[^]*?<\/VirtualHost>/, ''),
    ].join('\n')
  },
  args: ({ file }) => ['-DFOREGROUND', '-f', file],
})

/** Why the proxies cannot run; undefined where they can. */
export const caddyMissing: string | undefined = cacheMissing('caddy')
export const apacheMissing: string | undefined = cacheMissing('apache2')
