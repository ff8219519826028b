import { spawn } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { judge, milliseconds, showProgress, spreadCells, type Table } from './report.ts'
import type { Workspace } from './workspace.ts'

const ROOT = path.dirname(import.meta.dirname)
const EDITS = 10
const TARGET_MS = 1000

/** The report from the time of each edit. */
function previewTables(durationsMs: readonly number[]): readonly Table[] {
  const worst = Math.max(...durationsMs)
  const target = judge('the slowest edit', worst, { atMost: TARGET_MS }, milliseconds)
  return [
    {
      title: 'From saving a file of the example organization to the new page in svc preview',
      heading: 'edits|median|spread|slowest|target|',
      rows: [
        [
          String(durationsMs.length),
          ...spreadCells(durationsMs, milliseconds),
          milliseconds(worst),
          target,
        ],
      ],
    },
  ]
}

/** Waits as the script of the page does, and then loads the page until it contains the text. */
async function seePage(origin: string, revision: string, text: string): Promise<void> {
  await fetch(`${origin}/preview/changes?after=${revision}`)
  const page = await (await fetch(`${origin}/en/status`)).text()
  if (!page.includes(text)) throw new Error('expected the edit on the page')
}

/** Edits the status of the example organization, with a page open. */
export async function measurePreview({ folder, place }: Workspace): Promise<readonly Table[]> {
  const contentDir = path.join(folder, 'preview-content')
  cpSync(path.join(ROOT, 'examples/tide-observatory/content'), contentDir, { recursive: true })
  const svc = path.join(ROOT, 'src/cli/svc.ts')
  const args = ['preview', '--content', contentDir, '--releases', folder, '--port', '0', '--json']
  const [program = '', ...rest] = place([process.execPath, svc, ...args], 'server')
  const preview = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: preview.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse(String((await lines.next()).value)) as { url?: string }
  const { url: origin = '' } = await next()
  // The first content.
  await next()
  const file = path.join(contentDir, 'status.yaml')
  const durationsMs: number[] = []
  for (let edit = 0; edit <= EDITS; edit += 1) {
    showProgress(`preview: ${edit} of ${EDITS}`)
    const page = await (await fetch(`${origin}/en/status`)).text()
    const [, revision = ''] = /reload\.js\?revision=(\d+)/.exec(page) ?? []
    const text = `Edit number ${edit}.`
    const seen = seePage(origin, revision, text)
    const edited = readFileSync(file, 'utf8').replace(/^summary: .*$/m, `summary: ${text}`)
    const beganMs = performance.now()
    writeFileSync(file, edited)
    await seen
    durationsMs.push(performance.now() - beganMs)
  }
  preview.kill('SIGTERM')
  return previewTables(durationsMs.slice(1))
}
