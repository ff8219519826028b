import { userInfo } from 'node:os'
import path from 'node:path'
import { cacheMissing, createCacheStarter } from './cache-starter.ts'

const TEMPORARY_FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

/** Starts nginx with the documented configuration, whose clock is the simulated one. */
export const startNginx = createCacheStarter({
  program: 'nginx',
  documented: 'docs/caches/nginx.conf',
  edits: ({ folder, port, servicePort }) => ({
    '/var/cache/nginx/public-api': path.join(folder, 'cache'),
    '127.0.0.1:8080': `127.0.0.1:${servicePort}`,
    'listen 8081': `listen 127.0.0.1:${port}`,
  }),
  configure: (documented, { folder, clock }) =>
    [
      'daemon off;',
      `pid ${path.join(folder, 'pid')};`,
      'error_log stderr warn;',
      // If the master is root, its workers run as another user, who cannot read the folder.
      ...(userInfo().uid === 0 ? ['user root root;'] : []),
      // nginx gives its workers no other variable of the environment.
      ...Object.keys(clock.env).map((name) => `env ${name};`),
      'events {}',
      'http {',
      'access_log off;',
      ...TEMPORARY_FOLDERS.map((name) => `${name}_temp_path ${path.join(folder, name)};`),
      documented,
      '}',
    ].join('\n'),
  args: ({ folder, file }) => ['-p', folder, '-e', 'stderr', '-c', file],
})

/** Why nginx cannot run with a simulated clock; undefined where it can. */
export const nginxMissing: string | undefined = cacheMissing('nginx')
