import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { READ_STATUS, startPeer } from './cost.ts'
import { runLoad } from './load.ts'
import type { BenchOptions } from './options.ts'
import { COMPONENTS, writeOrganization, type OrganizationSize } from './organization.ts'
import { fetchOnce } from './peer-response.ts'
import { measureSvc, runSvc, startService, type Server } from './processes.ts'
import { judge, oneDigit, showProgress, twoDigits, whole, type Table } from './report.ts'
import type { Workspace } from './workspace.ts'

/** prom-client samples the event loop this often; a reading includes one interval. */
const SAMPLING_MS = 10
const SETTLE_MS = 3000
const READS = 5000
const PROOFS = 200

/** The longest pause of the event loop while something is done, in milliseconds. */
async function longestPause(adminPort: string, work: () => Promise<unknown>): Promise<number> {
  const readMaxMs = async () => {
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
    return 1000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1])
  }
  await readMaxMs()
  await work()
  return Math.max(0, (await readMaxMs()) - SAMPLING_MS)
}

/** Requires a whole response, and returns the bytes of its body. */
async function bytesOf(server: Server, target: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${server.port}${target}`)
  if (response.status !== 200) throw new Error(`${target}: found the status ${response.status}`)
  return (await response.arrayBuffer()).byteLength
}

/** What a service costs with these releases, and while `publish` makes a version of them. */
async function measureService(workspace: Workspace, publish: () => Promise<unknown>) {
  const server = await startService(workspace, {
    SVC_RELEASE_POLL_SECONDS: '0',
    SVC_ADMIN_PORT: '0',
  })
  const findPort = (line: string) => /"port":(\d+),"msg":"Health and metrics/.exec(line)?.[1]
  const adminPort = await server.firstLine(findPort)
  const start = server.startMicros / 1000
  await pause(SETTLE_MS)
  const memory = server.residentMegabytes()
  const readMeanwhile = (target: string) =>
    longestPause(adminPort, () =>
      Promise.all([
        runLoad({ ...READ_STATUS, port: server.port, requests: READS }),
        bytesOf(server, target),
      ]),
    )
  const before = server.cpuMicros()
  const statusBytes = await bytesOf(server, '/en/status')
  const firstPage = (server.cpuMicros() - before) / 1000
  const pagePause = await readMeanwhile('/th/status')
  const searchPause = await readMeanwhile('/th/search.json')
  const incidentsBytes = await bytesOf(server, '/statuspage/api/v2/incidents.json')
  await publish()
  const updatePause = await longestPause(adminPort, async () => {
    process.kill(server.pid, 'SIGHUP')
    await server.firstLine((line) => (line.includes('"msg":"Serving release') ? true : undefined))
    await pause(SETTLE_MS)
  })
  const beganMs = performance.now()
  for (let each = 0; each < PROOFS; each += 1)
    await bytesOf(server, '/log/proof/VS-0007.tlog-proof')
  const proof = (performance.now() - beganMs) / PROOFS
  await server.end()
  return {
    start,
    memory,
    firstPage,
    pagePause,
    searchPause,
    updatePause,
    proof,
    kilobytes: Math.max(statusBytes, incidentsBytes) / 1000,
  }
}

function megabytesBelow(folder: string): number {
  const files = globSync('**', { cwd: folder, withFileTypes: true })
  const bytes = files
    .filter((each) => each.isFile())
    .map((each) => statSync(path.join(each.parentPath, each.name)).size)
  return bytes.reduce((sum, each) => sum + each, 0) / 1e6
}

/** Audits a folder of releases, with `svc` and with a Go program that must find the same. Seconds of processor time. */
async function measureAudit(workspace: Workspace, releasesDir: string) {
  const own = await measureSvc(workspace, 'audit', releasesDir, '--json')
  const { head, versions } = JSON.parse(own.out) as Readonly<Record<string, unknown>>
  const [, size, root] = readFileSync(path.join(releasesDir, 'log', 'checkpoint'), 'utf8').split(
    '\n',
  )
  const program = path.join(workspace.folder, 'audit')
  // Debian's golang-golang-x-mod-dev.
  const env = { ...workspace.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode' }
  execFileSync('go', ['build', '-o', program, path.join(import.meta.dirname, 'audit.go')], { env })
  const [found = '', cpu] = execFileSync(program, [releasesDir], { encoding: 'utf8' }).split('\n')
  const newest = JSON.parse(
    readFileSync(path.join(releasesDir, 'versions', `${String(head)}.json`), 'utf8'),
  ) as { readonly hash: string }
  const expected = `${String(versions)} ${newest.hash} ${root}`
  if (found !== expected || size !== String(versions)) {
    throw new Error(`expected the audit in Go to find ${expected}, found ${found}`)
  }
  return { own, ratio: own.seconds / Number(cpu) }
}

/** Processor milliseconds a page of Hugo (Debian's), which puts a body into a template for each HTML page of the copy. */
function measureHugo(folder: string, copy: string): number {
  const pages = globSync('**/*.html', { cwd: copy })
  const read = (root: string, page: string) => readFileSync(path.join(root, page), 'utf8')
  mkdirSync(path.join(folder, 'layouts', '_default'), { recursive: true })
  mkdirSync(path.join(folder, 'content'))
  writeFileSync(path.join(folder, 'config.json'), '{}')
  writeFileSync(path.join(folder, 'layouts', '_default', 'single.html'), '{{ .Content }}')
  for (const [index, page] of pages.entries())
    writeFileSync(`${folder}/content/${index}.html`, `{"url":"${page}"}\n${read(copy, page)}`)
  const script = 'hugo --quiet --disableKinds taxonomy,term,RSS,sitemap,home,section,404 && times'
  const times = execFileSync('sh', ['-c', script], { cwd: folder, encoding: 'utf8' })
  const [, user = 0, system = 0] = /\n0m([\d.]+)s 0m([\d.]+)s/.exec(times)?.map(Number) ?? []
  const differing = pages.find((page) => read(`${folder}/public`, page) !== read(copy, page))
  if (differing !== undefined) throw new Error(`Hugo wrote another ${differing}`)
  return (1000 * (user + system)) / pages.length
}

/** Measures what an organization of this size pays for each thing that its operators and readers do. */
async function measureOrganization(shared: Workspace, size: OrganizationSize) {
  showProgress(`growth: ${size.versions} versions, ${size.incidents} incidents`)
  const folder = path.join(shared.folder, `organization-${size.versions}`)
  const releasesDir = path.join(folder, 'releases')
  // Each history has a log of its own.
  const files = {
    SVC_RELEASES_DIR: releasesDir,
    SVC_TLOG_KEY_FILE: path.join(folder, 'log-key.pem'),
  }
  const workspace = { ...shared, env: { ...shared.env, ...files } }
  const copy = path.join(folder, 'copy')
  writeOrganization(shared.releasesDir, releasesDir, size)
  const contentDir = path.join(folder, 'content')
  cpSync(path.join(workspace.root, 'content'), contentDir, { recursive: true })
  // The content of this repository has another history.
  rmSync(path.join(contentDir, '.published.json'), { force: true })
  const svc = (...args: readonly string[]) =>
    measureSvc(workspace, ...args, '--content', contentDir)
  await svc('discard', '--yes')
  const changeQueue = (summary: string) => {
    const file = path.join(contentDir, 'development-queue.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^summary: .*$/m, `summary: ${summary}`))
    return svc('publish', '--yes', '--note', summary)
  }
  await runSvc(workspace, 'tlog', 'init', '--origin', 'example.org/log')
  // The first publication draws the cards of this content.
  await changeQueue('Changed before the measurement.')
  const disk = megabytesBelow(releasesDir)
  const check = await svc('check')
  const site = () => measureSvc(workspace, 'site', copy)
  const first = await site()
  const [, written] = /(\d+) files of/.exec(first.out) ?? []
  const hugo = measureHugo(path.join(folder, 'hugo'), copy)
  const publish = await changeQueue('Changed after a copy.')
  const update = await site()
  const service = await measureService(workspace, () => changeQueue('Changed again.'))
  const args =
    '--title Slow --component component-1=degraded --impact minor --text Slow --summary Slow'
  const incident = await svc('incident', 'open', '--publish', '--yes', ...args.split(' '))
  const audit = await measureAudit(workspace, releasesDir)
  rmSync(folder, { recursive: true })
  return {
    ...service,
    disk,
    publish: publish.seconds,
    check: check.seconds,
    incident: incident.seconds,
    copy: first.seconds,
    copyRatio: (1000 * first.seconds) / Number(written) / hugo,
    update: update.seconds,
    copyMemory: Math.max(first.megabytes, update.megabytes),
    audit: audit.own.seconds,
    auditMemory: audit.own.megabytes,
    auditRatio: audit.ratio,
  }
}

type Figures = Awaited<ReturnType<typeof measureOrganization>>

/** The rows of the report, with a bound for the larger organization if there is one. */
const ROWS: readonly (readonly [keyof Figures, string, atMost?: number])[] = [
  ['start', 'start until it serves, ms', 1500],
  ['memory', 'resident memory after the start, MB'],
  ['firstPage', 'first status page, ms', 80],
  ['pagePause', 'longest pause with a first page, ms', 20],
  ['searchPause', 'longest pause with the search index, ms', 20],
  ['updatePause', 'longest pause while a version is taken up, ms', 20],
  ['proof', 'request for an offline proof, ms', 5],
  ['kilobytes', 'largest of /en/status and the Statuspage incidents, kB', 200],
  ['disk', 'releases on disk, MB'],
  ['publish', 'svc publish with one changed file, s', 2],
  ['check', 'svc check, s'],
  ['incident', 'svc incident open --publish, s', 3],
  ['copy', 'svc site, the first time, s'],
  ['copyRatio', 'a file of it, times Hugo', 1.2],
  ['update', 'svc site after a publication of another resource, s', 2],
  ['copyMemory', 'memory of svc site, MB', 300],
  ['audit', 'svc audit DIR, s'],
  ['auditMemory', 'memory of it, MB', 120],
  ['auditRatio', 'svc audit DIR, times a program in Go', 2],
]

/** Compares a small organization with one of five years, and an idle service with an idle Fastify. */
export async function measureGrowth(
  workspace: Workspace,
  { organizations }: BenchOptions,
): Promise<readonly Table[]> {
  // The first starts create secrets and compile, and do not count.
  const first = await startService(workspace)
  const model = await fetchOnce(first.port, READ_STATUS.target)
  await first.end()
  await (await startPeer(workspace, 'fastify-routes', model)).end()
  const idle = await startService(workspace)
  const peer = await startPeer(workspace, 'fastify-routes', model)
  const starts = [idle, peer].map((server) => server.startMicros / 1000)
  await pause(SETTLE_MS)
  const settled = [idle, peer].map((server) => server.cpuMicros() / 1000)
  const memories = [idle, peer].map((server) => server.residentMegabytes())
  for (const server of [idle, peer]) await server.end()
  const found: Figures[] = []
  for (const size of organizations) found.push(await measureOrganization(workspace, size))
  const [few, many] = [found[0], found.at(-1)]
  if (few === undefined || many === undefined) throw new RangeError('expected an organization')
  const ratio = many.check / few.check
  const compared = (what: string, [own = 0, other = 0]: readonly number[]) => [
    what,
    oneDigit(own),
    oneDigit(other),
    judge(`${what}, times Fastify`, own / other, { atMost: 1.15 }, twoDigits),
  ]
  return [
    {
      title: `An organization of five years with ${COMPONENTS} components; processor time`,
      heading: [
        'what',
        ...organizations.map(
          (each) => `${whole(each.versions)} versions, ${whole(each.incidents)} incidents`,
        ),
        'target',
        '',
      ].join('|'),
      rows: [
        ...ROWS.map(([name, title, atMost]) => [
          title,
          ...found.map((each) => oneDigit(each[name])),
          ...(atMost === undefined ? ['', ''] : [judge(title, many[name], { atMost }, oneDigit)]),
        ]),
        [
          'svc check, times the smaller one',
          ...found.map((each) => twoDigits(each.check / few.check)),
          judge('svc check, times the smaller one', ratio, { atMost: 1.3 }, twoDigits),
        ],
      ],
    },
    {
      title: 'An idle service beside Fastify 5 with 40 routes',
      heading: 'what|the service|Fastify|target|',
      rows: [
        compared('start until it serves, ms', starts),
        ['the same and what it loads afterwards, ms', ...settled.map(oneDigit), '', ''],
        compared('resident memory, MB', memories),
      ],
    },
  ]
}
