import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { openSqliteStorageHere } from '../src/storage/sqlite-here.ts'
import { startChild } from './children.ts'
import type { CostParts } from './cost.ts'
import { removeDatabase } from './filled-database.ts'
import { fillList } from './made-list.ts'
import { sealRows } from './sealed-rows.ts'
import { spreadOf, type Spread } from './statistics.ts'

/** What one run of one way took. */
export interface ExportRun {
  readonly rows: number
  readonly seconds: number
  /** All threads, user and system; undefined where it is not told. */
  readonly cpuSeconds: number | undefined
}

/** One way of opening rows. */
export interface ExportWay {
  readonly title: string
  /** In one run. */
  readonly rows: number
  readonly rowsPerSecond: Spread
  /** Rows by the CPU time that they took: what one processor does in a second. Undefined where it is not told. */
  readonly rowsPerCpuSecond: Spread | undefined
}

/** Result of the export part. */
export interface ExportResult {
  /** On the list; each of them was sealed by itself. */
  readonly rows: number
  /** Rows that were sealed in a second, by threads on all processors, storing them included. */
  readonly sealedPerSecond: number
  readonly rounds: number
  readonly ways: readonly ExportWay[]
  /** Whether the age program was there to be measured. */
  readonly hasAgeProgram: boolean
}

const ROUNDS = 2
/** The library alone opens so many of the list: its rate does not depend on their number. */
const LIBRARY_SHARE = 0.1
/** The program is started anew for each row. */
const PROGRAM_ROWS = 100

interface ExportFiles {
  readonly database: string
  readonly identity: string
  readonly out: string
}

async function runWay(
  { database, identity, out }: ExportFiles,
  way: 'export' | 'library',
  count: number,
): Promise<ExportRun> {
  const program = fileURLToPath(new URL('export-run.ts', import.meta.url))
  const args = [program, database, identity, out, way, String(count)]
  const child = startChild([process.execPath, ...args], { ipc: false })
  try {
    return await child.firstLine((line) =>
      line.startsWith('{') ? (JSON.parse(line) as ExportRun) : undefined,
    )
  } finally {
    await child.end()
  }
}

/** The age program, a process for each row; undefined where there is none. */
async function runProgram({ database, identity }: ExportFiles): Promise<ExportRun | undefined> {
  if (spawnSync('age', ['--version']).status !== 0) return undefined
  const storage = await openSqliteStorageHere({ file: database, mode: 'read-only' })
  const rows = await storage.waitlist.readAfter(0, PROGRAM_ROWS)
  await storage.close()
  const startedMs = performance.now()
  for (const { sealed } of rows) {
    const { status, stderr } = spawnSync('age', ['--decrypt', '--identity', identity], {
      input: sealed,
    })
    if (status !== 0) throw new Error(`age did not open a row: ${stderr.toString()}`)
  }
  const seconds = (performance.now() - startedMs) / 1000
  return { rows: rows.length, seconds, cpuSeconds: undefined }
}

function wayOf(title: string, runs: readonly ExportRun[]): ExportWay {
  const perCpuSecond = runs.flatMap(({ rows, cpuSeconds }) =>
    cpuSeconds === undefined ? [] : [rows / cpuSeconds],
  )
  return {
    title,
    rows: runs[0]?.rows ?? 0,
    rowsPerSecond: spreadOf(runs.map(({ rows, seconds }) => rows / seconds)),
    rowsPerCpuSecond: perCpuSecond.length === 0 ? undefined : spreadOf(perCpuSecond),
  }
}

/** Seals a list and measures how fast it opens, the ways in turn, each run in a process of its own. */
export async function measureExport({
  workspace,
  options,
  progress,
}: CostParts): Promise<ExportResult> {
  const { exportRows: rows } = options
  const inFolder = (name: string) => path.join(workspace.folder, name)
  const files: ExportFiles = {
    database: inFolder('export.sqlite'),
    identity: inFolder('export-identity.txt'),
    out: inFolder('export.csv'),
  }
  const identity = await generateX25519Identity()
  writeFileSync(files.identity, `${identity}\n`, { mode: 0o600 })
  const startedMs = performance.now()
  const sealed = sealRows(await identityToRecipient(identity), rows, (count) =>
    progress(`export: sealing, ${count} of ${rows} rows`),
  )
  await fillList(files.database, sealed)
  const sealedPerSecond = (rows / (performance.now() - startedMs)) * 1000

  const threads = availableParallelism()
  const ways: { readonly title: string; run(): Promise<ExportRun | undefined> }[] = [
    { title: 'svc waitlist export --jobs 1', run: () => runWay(files, 'export', 1) },
    ...(threads === 1
      ? []
      : [
          {
            title: `svc waitlist export --jobs ${threads}`,
            run: () => runWay(files, 'export', threads),
          },
        ]),
    {
      title: 'age-encryption, opening only',
      run: () => runWay(files, 'library', Math.ceil(rows * LIBRARY_SHARE)),
    },
    { title: 'the age program, a process for each row', run: () => runProgram(files) },
  ]
  const runs = new Map<string, ExportRun[]>()
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const { title, run } of ways) {
      progress(`export: round ${round} of ${ROUNDS}, ${title}`)
      const done = await run()
      if (done !== undefined) runs.set(title, [...(runs.get(title) ?? []), done])
    }
  }
  removeDatabase(files.database)
  return {
    rows,
    sealedPerSecond,
    rounds: ROUNDS,
    ways: [...runs].map(([title, of]) => wayOf(title, of)),
    hasAgeProgram: runs.size === ways.length,
  }
}
