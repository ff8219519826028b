import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import type { BenchOptions } from './options.ts'
import { runForJson, startService } from './processes.ts'
import { showProgress, whole, type Table } from './report.ts'
import {
  type Checked,
  CHECKED_HEADING,
  CHECKED_TARGETS,
  type CheckedResponse,
  checkedRow,
} from './verification.ts'
import type { Workspace } from './workspace.ts'

const RATIO_TARGET = { atMost: 2 }
const ROOT = path.dirname(import.meta.dirname)
const GO_CLIENT = path.join(ROOT, 'clients', 'go')

/** The checks of one response by the client of one language. */
interface CheckedByLanguage extends CheckedResponse {
  readonly language: string
}

/** The report of the clients in other languages; the target applies to the first response. */
function clientTables(checksPerRound: number, responses: readonly CheckedByLanguage[]): Table {
  return {
    title: `Verifying a response in Python and Go (${responses[0]?.clientMicros.length ?? 0} rounds of ${whole(checksPerRound)} checks)`,
    heading: CHECKED_HEADING,
    rows: responses.map((response) => {
      const { language, target } = response
      const bound = target === CHECKED_TARGETS[0] ? RATIO_TARGET : undefined
      return checkedRow(`${language} ${target}`, response, bound)
    }),
  }
}

/** Saves a response and the key that signed it, and returns the size of the body. */
async function saveResponse(origin: string, target: string, file: string): Promise<number> {
  const keys = await fetch(origin + ENDPOINTS.signingKey.path)
  const { data } = (await keys.json()) as { readonly data: { readonly keys: readonly unknown[] } }
  const response = await fetch(origin + target)
  const body = Buffer.from(await response.arrayBuffer())
  const saved = {
    target,
    status: response.status,
    headers: [...response.headers],
    bodyBase64: body.toString('base64'),
    key: data.keys[0],
    nowMs: Date.now(),
  }
  writeFileSync(file, JSON.stringify(saved))
  return body.length
}

/** Measures the clients in Python and Go next to the cryptography of their languages. */
export async function measureOtherClients(
  workspace: Workspace,
  { rounds, verificationChecks: checks }: BenchOptions,
): Promise<readonly Table[]> {
  const goCommand = path.join(workspace.folder, 'measure-verification')
  const goCache = path.join(ROOT, 'node_modules', '.cache', 'go')
  mkdirSync(goCache, { recursive: true })
  const goEnv = { ...process.env, CGO_ENABLED: '0', GOCACHE: goCache, GOPROXY: 'off' }
  execFileSync('go', ['build', '-o', goCommand, './internal/measure-verification'], {
    cwd: GO_CLIENT,
    env: goEnv,
  })
  const pythonEnv = { ...process.env, PYTHONPATH: path.join(ROOT, 'clients', 'python', 'src') }
  const programs = [
    {
      language: 'Python',
      command: ['/usr/bin/python3', path.join(import.meta.dirname, 'measure_verification.py')],
      env: pythonEnv,
    },
    { language: 'Go', command: [goCommand], env: process.env },
  ]
  const service = await startService(workspace)
  const origin = `http://127.0.0.1:${service.port}`
  const responses: CheckedByLanguage[] = []
  for (const { language, command, env } of programs) {
    for (const target of CHECKED_TARGETS) {
      showProgress(`clients: ${language} ${target}`)
      const file = path.join(workspace.folder, 'response.json')
      const bodyBytes = await saveResponse(origin, target, file)
      // The OpenAPI document costs a hundred times as much.
      const count = target === CHECKED_TARGETS[0] ? checks : Math.ceil(checks / 20)
      const args = [...command, file, String(rounds), String(count)]
      const checked = await runForJson<Checked>(workspace.place(args, 'load'), env)
      responses.push({ language, target, bodyBytes, ...checked })
    }
  }
  await service.end()
  return [clientTables(checks, responses)]
}
