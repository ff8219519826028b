import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { parse } from 'yaml'
import { freePort, hasProgram } from '../caches/cache-process.ts'
import { startService } from '../support/service-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: { readonly summary: string; readonly runbook: string }
}

const ALERTS_FILE = 'deploy/prometheus/alerts.yaml'
const { groups } = parse(readFileSync(ALERTS_FILE, 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}
const RULES = groups.flatMap(({ rules }) => rules)

const DASHBOARD = JSON.parse(readFileSync('deploy/grafana/public-api.json', 'utf8')) as {
  readonly panels: readonly {
    readonly title: string
    readonly targets: readonly { readonly expr: string }[]
  }[]
}

/** Metrics of this service and of prom-client that an expression names, without the suffixes of a histogram. */
function metricsOf(expression: string): readonly string[] {
  return [...expression.matchAll(/\b(?:svc|nodejs|process)_[a-z0-9_]+/g)].map(([name]) =>
    name.replace(/_(?:bucket|sum|count)$/, ''),
  )
}

const exposed = new Map<number, Promise<ReadonlySet<string>>>()

/** The metrics that a service of so many workers exposes, by their HELP lines; started for the first test that asks. */
function exposedMetrics(t: TestContext, workers: number): Promise<ReadonlySet<string>> {
  const metrics = exposed.get(workers) ?? readMetrics(t, workers)
  exposed.set(workers, metrics)
  return metrics
}

async function readMetrics(t: TestContext, workers: number): Promise<ReadonlySet<string>> {
  const folder = temporaryFolder(t)
  const adminPort = await freePort()
  const service = startService(t, folder, {
    SVC_RELEASES_DIR: path.resolve('releases'),
    SVC_ADMIN_PORT: String(adminPort),
    SVC_WORKERS: String(workers),
  })
  await service.serving()
  const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`)
  assert.equal(response.status, 200)
  const names = [...(await response.text()).matchAll(/^# HELP (\S+) /gm)]
  return new Set(names.map(([, name]) => name ?? ''))
}

test('alerts and dashboard name only metrics that exist', async (t) => {
  const single = await exposedMetrics(t, 1)
  const several = await exposedMetrics(t, 2)
  const known = new Set([...single, ...several])
  assert.ok(known.size > 10)
  const expressions = [
    ...RULES.map(({ alert, expr }) => [alert, expr] as const),
    ...DASHBOARD.panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => [title, expr] as const),
    ),
  ]
  for (const [place, expression] of expressions) {
    const names = metricsOf(expression)
    assert.ok(names.length > 0 || expression.startsWith('up{'), place)
    assert.deepEqual(
      names.filter((name) => !known.has(name)),
      [],
      place,
    )
  }
})

test('the dashboard shows every metric of the service', async (t) => {
  const shown = new Set(
    DASHBOARD.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsOf(expr))),
  )
  const own = [...(await exposedMetrics(t, 2))].filter((name) => name.startsWith('svc_'))
  assert.deepEqual(
    own.filter((name) => !shown.has(name)),
    [],
  )
})

test('each alert links to a section that says what to do', () => {
  const operating = readFileSync('docs/operating.md', 'utf8')
  for (const { alert, annotations } of RULES) {
    const anchor = /^docs\/operating\.md#(alert-[a-z]+)$/.exec(annotations.runbook)?.[1]
    assert.ok(anchor, alert)
    const headings = operating.match(/^#+ .+$/gm) ?? []
    const anchors = headings.map((heading) =>
      heading
        .replace(/^#+ /, '')
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    )
    assert.ok(anchors.includes(anchor), `${alert}: docs/operating.md has no section ${anchor}`)
  }
})

const promtoolMissing = hasProgram('promtool') ? undefined : 'promtool is not installed'

test('promtool accepts the rules, and they fire as intended', { skip: promtoolMissing }, () => {
  for (const args of [
    ['check', 'rules', ALERTS_FILE],
    ['test', 'rules', 'deploy/prometheus/alerts.test.yaml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
  }
})

test('promtool accepts the queries of the dashboard', { skip: promtoolMissing }, (t) => {
  const rules = DASHBOARD.panels
    .flatMap(({ targets }) => targets)
    .map(({ expr }, index) => ({
      record: `panel:${index}`,
      // Grafana replaces these.
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
    }))
  assert.ok(rules.length > 20)
  for (const { expr } of rules)
    assert.doesNotMatch(expr, /\$/, 'a variable that Grafana does not replace')
  const file = path.join(temporaryFolder(t), 'panels.yaml')
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, `${stdout}${stderr}`)
})
