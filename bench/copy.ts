import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { appendVersions } from './history-fixture.ts'
import type { BenchOptions } from './options.ts'
import { runSvc } from './processes.ts'
import { megabytes, oneDigit, showProgress, targetRow, whole, type Table } from './report.ts'
import type { Workspace } from './workspace.ts'

const ORIGIN = 'https://api.example.org'
/** As public-api-copy.service runs it. */
const OPTIONS = '--max-semi-space-size=4'
const seconds = (value: number): string => `${oneDigit(value)} s`

/** Prints at the end of a process what it used: CPU time in microseconds and its largest resident memory in KiB. */
const USAGE = `data:text/javascript,process.on('exit',()=>{const{userCPUTime:u,systemCPUTime:s,maxRSS:r}=process.resourceUsage();process.stderr.write(JSON.stringify([u+s,r]))})`

/** One run of `svc site`, with its time in seconds. */
async function writeCopy(workspace: Workspace, releasesDir: string, copy: string) {
  const env = {
    ...workspace.env,
    SVC_BASE_URL: ORIGIN,
    NODE_OPTIONS: `${OPTIONS} --import=${USAGE}`,
  }
  const beganMs = performance.now()
  const command = ['site', copy, '--releases', releasesDir, '--json'] as const
  const { stderr } = await runSvc({ ...workspace, env }, ...command)
  const elapsed = (performance.now() - beganMs) / 1000
  const [micros = 0, kibibytes = 0] = JSON.parse(stderr) as readonly number[]
  return { elapsed, cpu: micros / 1e6, megabytes: (kibibytes * 1024) / 1e6 }
}

/** Writes a copy of a history of this length, again without a change, and after one more version. */
async function measureLength(workspace: Workspace, versions: number) {
  showProgress(`copy: ${versions} versions`)
  const releasesDir = path.join(workspace.folder, `copied-${versions}`)
  const copy = path.join(workspace.folder, `copy-${versions}`)
  appendVersions(workspace.releasesDir, releasesDir, versions)
  const first = await writeCopy(workspace, releasesDir, copy)
  // A publication does not come while the disk still writes the first copy.
  execFileSync('sync')
  const same = await writeCopy(workspace, releasesDir, copy)
  appendVersions(workspace.releasesDir, releasesDir, 1)
  const update = await writeCopy(workspace, releasesDir, copy)
  for (const folder of [copy, releasesDir]) rmSync(folder, { recursive: true })
  const memory = Math.max(...[first, same, update].map((each) => each.megabytes))
  return { versions, first, same, update, memory }
}

/** Measures `svc site` with histories of several lengths. */
export async function measureCopy(
  workspace: Workspace,
  { copiedVersions }: BenchOptions,
): Promise<readonly Table[]> {
  const found: Awaited<ReturnType<typeof measureLength>>[] = []
  for (const versions of copiedVersions) found.push(await measureLength(workspace, versions))
  return [
    {
      title: 'Writing a static copy: seconds (of them CPU time of the process)',
      heading: 'versions|first|CPU|without a change|CPU|after a publication|CPU|memory',
      rows: found.map(({ versions, first, same, update, memory }) => [
        whole(versions),
        ...[first, same, update].flatMap(({ elapsed, cpu }) => [oneDigit(elapsed), oneDigit(cpu)]),
        megabytes(memory),
      ]),
    },
    ...found.slice(-1).map(({ versions, first, update, memory }) => ({
      title: `A static copy of ${whole(versions)} versions: targets`,
      heading: 'what|found|target|',
      rows: [
        targetRow('first copy', first.elapsed, { atMost: 60 }, seconds),
        targetRow('copy after a publication', update.elapsed, { atMost: 2 }, seconds),
        targetRow('memory of a copy', memory, { atMost: 300 }, megabytes),
      ],
    })),
  ]
}
