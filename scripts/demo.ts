import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run } from '../src/process/run.ts'
import { buildExample } from './build-example.ts'
import { runScript } from './script-main.ts'

const HELP = `Usage: npm run demo

Serves the example organization (examples/tide-observatory) until it is stopped: builds its releases in a temporary
folder, with data and secrets beside them. HOST, PORT and other variables work as for npm start.

  --help    this text

Exit code: 0 stopped, 1 a failure, 2 wrong usage.
`

await runScript(import.meta, {
  help: HELP,
  options: {},
  async run() {
    const folder = mkdtempSync(path.join(tmpdir(), 'svc-demo-'))
    try {
      const releases = path.join(folder, 'releases')
      await buildExample(path.join(folder, 'content'), releases)
      const environment = {
        ...process.env,
        SVC_RUNTIME: 'local',
        SVC_RELEASES_DIR: releases,
        SVC_DATA_DIR: path.join(folder, 'data'),
        SVC_SECRETS_DIR: path.join(folder, 'secrets'),
      }
      return (await run(environment, folder)) === 0 ? 0 : 1
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
})
