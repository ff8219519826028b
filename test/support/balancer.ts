import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { accepts, freePort } from '../caches/cache-process.ts'
import { eventually } from './eventually.ts'
import { REGISTER } from './registering-app.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** nginx as a balancer: a read goes to the next node if one does not respond; a write is never sent twice. */
function balancerConfiguration(folder: string, port: number, ports: readonly number[]): string {
  return `daemon off;
pid ${path.join(folder, 'pid')};
error_log stderr crit;
${userInfo().uid === 0 ? 'user root root;' : ''}
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((way) => `${way}_temp_path ${path.join(folder, way)};`).join('\n  ')}
  upstream nodes {
    ${ports.map((each) => `server 127.0.0.1:${each} max_fails=1 fail_timeout=2s;`).join('\n    ')}
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://nodes;
      proxy_connect_timeout 1s;
      proxy_read_timeout 2s;
      proxy_next_upstream error timeout;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
    location ${REGISTER} {
      proxy_pass http://nodes;
      proxy_connect_timeout 1s;
      proxy_read_timeout 15s;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
}
`
}

/** nginx before several nodes. */
export interface Balancer {
  readonly port: number
  start(): Promise<void>
  /** Ends the master and its workers at once. */
  kill(): Promise<void>
  /** Stops all its processes where they are, without closing a connection. */
  freeze(): void
  thaw(): void
}

/** Starts nginx, which ends with the test. */
export async function startBalancer(
  t: { after(end: () => void | Promise<void>): void },
  ports: readonly number[],
): Promise<Balancer> {
  const folder = temporaryFolder(t)
  const port = await freePort()
  const file = path.join(folder, 'nginx.conf')
  writeFileSync(file, balancerConfiguration(folder, port, ports))
  let child: ChildProcess | undefined
  /** The group of the master and its workers: workers outlive a master that is killed alone. */
  const signal = (name: NodeJS.Signals): void => {
    if (child?.pid !== undefined) process.kill(-child.pid, name)
  }
  const balancer: Balancer = {
    port,
    async start() {
      const args = ['-p', folder, '-e', 'stderr', '-c', file]
      const started = spawn('nginx', args, { detached: true, stdio: 'ignore' })
      child = started
      await eventually('nginx listens', async () => {
        if (started.exitCode !== null) throw new Error(`nginx ended with ${started.exitCode}`)
        return (await accepts(port)) || undefined
      })
    },
    async kill() {
      if (child === undefined) return
      const ended = once(child, 'exit')
      signal('SIGKILL')
      await ended
      child = undefined
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  }
  t.after(() => balancer.kill())
  await balancer.start()
  return balancer
}
