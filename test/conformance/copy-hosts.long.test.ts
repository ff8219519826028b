import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { freePort, hasProgram, startCacheProcess } from '../caches/cache-process.ts'
import { deployWithCopy, examine } from '../cli/doctor/proxied-deployment.ts'
import { useFileScope } from '../support/test-scope.ts'
import { foreignFile, reportDebian, reportPackage, skip } from './foreign-programs.ts'

const scope = useFileScope()

const ON_ALL = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'max-age=60' }
/** What the table in docs/copy.md advises. */
const CONFIGURATIONS = {
  'firebase.json': {
    public: '.',
    headers: [
      {
        source: '**',
        headers: Object.entries(ON_ALL).map(([name, value]) => ({ key: name, value })),
      },
    ],
  },
  'staticwebapp.config.json': {
    globalHeaders: ON_ALL,
    mimeTypes: { '.md': 'text/markdown', '.atom': 'application/atom+xml' },
  },
}

async function prepare() {
  const deployed = await deployWithCopy(scope)
  const settings = path.join(deployed.folder, 'settings')
  mkdirSync(settings)
  for (const [name, content] of Object.entries(CONFIGURATIONS)) {
    writeFileSync(path.join(settings, name), JSON.stringify(content))
  }
  return deployed
}
let prepared: ReturnType<typeof prepare> | undefined

const DATA = /^(?:now\.json|(?:archive|log|statuspage|api)\/.+)$/
const NEWEST = /^(?:now\.json|archive\/versions\.json|log\/checkpoint)$/
const WITHOUT_EXTENSION = /^(?:\.well-known\/api-catalog|log\/(?:policy|checkpoint))$/
const WITH_TILES = /^(?:\.well-known\/api-catalog|log\/(?:policy|checkpoint|tile\/.+))$/
/** No lifetimes, no CORS, and no type of files that have no extension. */
const NOTHING = { 'copy-cors': DATA, 'copy-cached': NEWEST, 'copy-type': WITH_TILES }
/** The host sends a page of its own where the copy has 404.html: no file was changed. */
const OWN_PAGE = { 'copy-not-found-page': /^doctor-asks-for-nothing$/ }

interface Host {
  /** The package of npm or Debian. */
  readonly name: string
  readonly program: string
  readonly args: (port: string) => readonly string[]
  /** What the doctor says: each finding, and the files that it names. */
  readonly findings: { readonly [id: string]: RegExp }
  /** Cache-Control of the response to a missing version. */
  readonly cacheControl?: string
}

const at = (port: string, name = '--host') => [name, '127.0.0.1', '--port', port]
const superstatic = { name: 'superstatic', program: 'superstatic' }
const azure = { name: '@azure/static-web-apps-cli', program: 'swa' }
const httpServer = { name: 'http-server', program: 'http-server' }
const sirv = { name: 'sirv-cli', program: 'sirv' }

/** Run in the folder of the copy. */
const NPM_HOSTS: readonly Host[] = [
  {
    name: 'wrangler',
    program: 'wrangler',
    args: (port) => ['pages', 'dev', '.', ...at(port, '--ip')],
    findings: {},
    cacheControl: 'no-store',
  },
  { ...superstatic, args: (port) => ['.', ...at(port)], findings: NOTHING },
  {
    ...superstatic,
    args: (port) => ['.', ...at(port), '--config', '../settings/firebase.json'],
    findings: { 'copy-type': WITH_TILES },
    cacheControl: 'max-age=60',
  },
  {
    ...azure,
    args: (port) => ['start', '.', ...at(port)],
    findings: {
      'copy-cors': DATA,
      'copy-type': /\.(?:md|atom)$|^log\/|^\.well-known\//,
      'copy-missing': /^api\/v2\//,
    },
    cacheControl: 'public, max-age=0',
  },
  {
    ...azure,
    args: (port) => ['start', '.', ...at(port), '--swa-config-location', '../settings'],
    findings: { 'copy-type': WITHOUT_EXTENSION, 'copy-missing': /^api\/v2\// },
    cacheControl: 'public, max-age=0',
  },
  {
    name: 'serve',
    program: 'serve',
    args: (port) => ['--cors', '--listen', `tcp://127.0.0.1:${port}`],
    findings: { 'copy-cached': NEWEST, 'copy-type': WITH_TILES },
  },
  {
    ...httpServer,
    args: (port) => ['.', ...at(port, '-a')],
    findings: { 'copy-cors': DATA, 'copy-cached': /^/, 'copy-type': WITHOUT_EXTENSION },
    cacheControl: 'max-age=3600',
  },
  {
    ...httpServer,
    args: (port) => ['.', '--cors', '-c60', ...at(port, '-a')],
    findings: { 'copy-type': WITHOUT_EXTENSION },
    cacheControl: 'max-age=60',
  },
  {
    ...sirv,
    args: (port) => ['.', ...at(port)],
    findings: { ...NOTHING, ...OWN_PAGE, 'copy-type': /^favicon\.ico$|^log\/|^\.well-known\// },
  },
  {
    ...sirv,
    args: (port) => ['.', '--cors', '--maxage', '60', ...at(port)],
    findings: { ...OWN_PAGE, 'copy-type': /^favicon\.ico$|^log\/|^\.well-known\// },
  },
  {
    name: 'local-web-server',
    program: 'ws',
    args: (port) => at(port, '--hostname'),
    findings: { ...OWN_PAGE, 'copy-type': WITHOUT_EXTENSION },
  },
]

const DEBIAN_HOSTS: readonly Host[] = [
  {
    name: 'python3',
    program: '/usr/bin/python3',
    args: (port) => ['-m', 'http.server', '--bind', '127.0.0.1', port],
    findings: { ...NOTHING, ...OWN_PAGE, 'copy-type': WITHOUT_EXTENSION },
  },
  {
    name: 'busybox',
    program: 'busybox',
    args: (port) => ['httpd', '-f', '-p', `127.0.0.1:${port}`],
    findings: { ...NOTHING, ...OWN_PAGE, 'copy-type': /./ },
  },
  {
    name: 'webfs',
    program: 'webfsd',
    args: (port) => ['-F', '-i', '127.0.0.1', '-p', port, '-r', '.', '-f', 'index.html'],
    findings: { ...NOTHING, ...OWN_PAGE, 'copy-type': /^/ },
  },
  {
    name: 'mini-httpd',
    program: 'mini_httpd',
    args: (port) => ['-D', '-h', '127.0.0.1', '-p', port, '-d', '.', '-u', 'root'],
    findings: { ...NOTHING, ...OWN_PAGE, 'copy-type': /^/ },
    cacheControl: 'no-cache,no-store',
  },
  {
    name: 'ruby-webrick',
    program: 'ruby',
    args: (port) => ['-run', '-e', 'httpd', '.', '-b', '127.0.0.1', '-p', port],
    findings: { ...NOTHING, ...OWN_PAGE, 'copy-type': /^/ },
  },
  {
    name: 'php-cli',
    program: 'php',
    args: (port) => ['-S', `127.0.0.1:${port}`],
    findings: { ...NOTHING, 'copy-fallback': /^doctor-asks-for-nothing$/ },
  },
]

function describeHost(host: Host, isInstalled: boolean, program: string): void {
  const { name, args, findings, cacheControl } = host
  test(
    `a copy on ${[name, ...args('PORT')].join(' ')}`,
    { skip: !isInstalled && `${name} is not installed` },
    async (t) => {
      if (NPM_HOSTS.includes(host)) {
        const version = reportPackage(t, name)
        assert.ok(readFileSync('docs/copy.md', 'utf8').includes(version), `${name} ${version}`)
      } else await reportDebian(t, name)
      const { deployment, folder, copy } = await (prepared ??= prepare())
      const port = await freePort()
      // timeout passes the signal on to the programs that these start.
      const inCopy = ['300', 'sh', '-c', 'cd "$0" && exec "$@"', copy, program]
      await startCacheProcess(t, port, 'timeout', [...inCopy, ...args(String(port))], {
        PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`,
        HOME: folder,
        WRANGLER_SEND_METRICS: 'false',
      })
      const origin = `http://127.0.0.1:${port}/`
      const settings = { mirrors: [origin], readsAllFiles: true }
      const { checks } = await examine(t, deployment, settings)
      const { findings: found = [] } = checks.find(({ check }) => check === `copy ${origin}`) ?? {}
      assert.deepEqual(found.map(({ id }) => id).toSorted(), Object.keys(findings).toSorted())
      for (const { id, where } of found) {
        const files = where.map((each) => each.slice(origin.length))
        const others = files.filter((file) => findings[id]?.test(file) !== true)
        assert.deepEqual(others, [], id)
      }
      const missing = await fetch(`${origin}archive/versions/VS-0099.json`)
      assert.equal(missing.status, 404)
      assert.equal(missing.headers.get('cache-control'), cacheControl ?? null)
    },
  )
}

for (const host of NPM_HOSTS) describeHost(host, skip === false, foreignFile('.bin', host.program))
for (const host of DEBIAN_HOSTS) describeHost(host, hasProgram(host.program), host.program)
