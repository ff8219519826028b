import path from 'node:path'
import { cacheMissing, createCacheStarter } from './cache-starter.ts'

/** Starts Varnish with the documented configuration, whose clock is the simulated one. */
export const startVarnish = createCacheStarter({
  program: 'varnishd',
  documented: 'docs/caches/default.vcl',
  edits: ({ servicePort }) => ({ '"8080"': `"${servicePort}"` }),
  args: ({ folder, port, file }) => [
    '-F',
    '-n',
    path.join(folder, 'work'),
    '-a',
    `127.0.0.1:${port}`,
    '-f',
    file,
    '-s',
    'malloc,32m',
    '-j',
    'none',
    '-p',
    'thread_pools=1',
  ],
})

/** Why Varnish cannot run with a simulated clock; undefined where it can. */
export const varnishMissing: string | undefined = cacheMissing('varnishd')
