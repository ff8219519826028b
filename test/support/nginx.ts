import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { startCacheProcess } from '../caches/cache-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Runs nginx with this text in its http context, which listens on `port` of loopback. Resolves with the origin. */
export async function runNginx(t: TestContext, port: number, site: string): Promise<string> {
  const place = temporaryFolder(t)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (way) => `${way}_temp_path ${path.join(place, way)};`,
  )
  const file = path.join(place, 'nginx.conf')
  const user = userInfo().uid === 0 ? 'user root root;' : ''
  const http = ['http {', 'access_log off;', ...temporary, site, '}']
  writeFileSync(file, ['daemon off;', `pid ${place}/pid;`, user, 'events {}', ...http].join('\n'))
  await startCacheProcess(t, port, 'nginx', ['-p', place, '-e', 'stderr', '-c', file], {})
  return `http://127.0.0.1:${port}`
}
