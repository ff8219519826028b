import { request as send, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { type Diagnosis, runDoctor } from '@public-api/cli/src/doctor/run-doctor.ts'
import { createHttpClient } from '@public-api/cli/src/verifying/requests.ts'
import { LINKS } from '@public-api/contract/registry/endpoints'
import type { AppDependencies } from '../../../src/app.ts'
import { openReleaseStore } from '../../../src/releases/release-store.ts'
import { loadReleases, type ServableReleases } from '../../../src/service/releases/releases.ts'
import type { TimeQuality } from '../../../src/service/time/time-quality.ts'
import { key } from '../../client/scripted-client.ts'
import { folderWithLog } from '../../support/logged-releases.ts'
import { serve } from '../../support/loopback-server.ts'
import { succeeded, svcIn } from '../../support/run-svc.ts'
import { runApp, type RunningApp } from '../../support/running-app.ts'
import type { TestScope } from '../../support/test-scope.ts'

/** One response on its way through the proxy; a test changes what it likes. */
export interface Passing {
  readonly method: string
  readonly target: string
  readonly path: string
  readonly asked: IncomingHttpHeaders
  status: number
  /** Lower-case names. */
  headers: Map<string, string>
  body: Buffer
}

/** What a proxy does to a response; one that it gives is sent in place of the service's. */
export type Mischief = (passing: Passing) => void

/** A deployment behind a proxy. */
export interface ProxiedDeployment {
  readonly origin: string
  readonly app: RunningApp
  /** Method and target of each request, in order. */
  readonly asked: readonly string[]
}

/** What a deployment with a time source says of its clock. */
export const SYNCHRONIZED: TimeQuality = {
  state: 'SYNCHRONIZED',
  source: 'time.example.test',
  offsetMs: 0,
  maxErrorMs: 5,
  checkedAt: '2026-11-21T08:59:00.000Z',
}

function forward(port: number, method: string, target: string, headers: IncomingHttpHeaders) {
  return new Promise<Pick<Passing, 'status' | 'headers' | 'body'>>((resolve, reject) => {
    const request = send({ port, host: '127.0.0.1', method, path: target, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const { rawHeaders, statusCode = 0 } = response
        const pairs = Array.from(
          { length: rawHeaders.length / 2 },
          (_, index) =>
            [rawHeaders[2 * index]?.toLowerCase() ?? '', rawHeaders[2 * index + 1] ?? ''] as const,
        )
        resolve({ status: statusCode, headers: new Map(pairs), body: Buffer.concat(chunks) })
      })
    })
    request.on('error', reject)
    request.end()
  })
}

/**
 * Starts the app behind a proxy that does what `mischief` says, and otherwise forwards every request. It sends
 * the app's time in Date, and serves a page at each path that the documents link to.
 */
export async function deployBehindProxy(
  t: TestScope,
  mischief: Mischief = () => {},
  parts: Partial<AppDependencies> = {},
): Promise<ProxiedDeployment> {
  const asked: string[] = []
  let app: RunningApp | undefined
  const origin = await serve(t, (request, response) => {
    const { method = '', url: target = '' } = request
    asked.push(`${method} ${target}`)
    void forward(app?.port ?? 0, method, target, request.headers).then((upstream) => {
      const [path = ''] = target.split('?')
      const passing: Passing = { method, target, path, asked: request.headers, ...upstream }
      passing.headers.set('date', new Date(app?.clock.ms ?? 0).toUTCString())
      for (const name of ['connection', 'keep-alive']) passing.headers.delete(name)
      if (path === LINKS.docs) {
        passing.status = 200
        passing.headers.set('content-type', 'text/html; charset=utf-8')
        passing.body = Buffer.from('<!doctype html><title>Reference</title>')
      }
      const length = passing.body.length
      mischief(passing)
      if (passing.body.length !== length || path === LINKS.docs) {
        passing.headers.set('content-length', String(passing.body.length))
      }
      response.sendDate = false
      response.writeHead(passing.status, [...passing.headers].flat())
      response.end(method === 'HEAD' ? undefined : passing.body)
    })
  })
  app = await runApp(t, {
    baseUrl: origin,
    timeQuality: { quality: () => SYNCHRONIZED, close() {} },
    ...parts,
  })
  return { origin, app, asked }
}

/** A deployment with a log, and a copy of it that proves its newest version. */
export async function deployWithCopy(
  t: TestScope,
  partsFor: (releases: ServableReleases) => Partial<AppDependencies> = () => ({}),
) {
  const { folder, releases: releasesFolder } = await folderWithLog(t, 2)
  const releases = loadReleases(openReleaseStore(releasesFolder))
  const deployment = await deployBehindProxy(t, undefined, { releases, ...partsFor(releases) })
  deployment.app.clock.ms = Date.now()
  const options = ['--now', deployment.origin, '--pin', key.keyId]
  succeeded(await svcIn(folder, ['site', 'copy', ...options]))
  return { deployment, folder, copy: join(folder, 'copy') }
}

/** What of the doctor's settings a test may turn. */
export interface Examination {
  readonly pinnedKeyIds?: readonly string[] | undefined
  readonly deployment?: 'primary' | 'preview' | undefined
  readonly hasKeyRecord?: boolean | undefined
  readonly mirrors?: readonly string[]
  readonly readsAllFiles?: boolean
  /** How far this machine's clock is ahead of the deployment's. */
  readonly aheadMs?: number
}

/** Examines a deployment by its own clock, with its key pinned. */
export async function examine(
  t: TestScope,
  { origin, app }: ProxiedDeployment,
  { aheadMs = 0, ...settings }: Examination = {},
): Promise<Diagnosis> {
  const nowMs = (): number => app.clock.ms + aheadMs
  const httpClient = createHttpClient(origin, 10_000, nowMs)
  t.after(() => httpClient.close())
  return runDoctor({
    origin,
    ask: httpClient.ask,
    nowMs,
    pinnedKeyIds: [key.keyId],
    deployment: undefined,
    ...settings,
  })
}

/** Ids of all findings, in order. */
export function idsOf({ checks }: Diagnosis): readonly string[] {
  return checks.flatMap(({ findings }) => findings.map(({ id }) => id))
}
