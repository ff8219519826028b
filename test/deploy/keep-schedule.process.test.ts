import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SCRIPT = 'deploy/git/keep-schedule.sh'

interface Workflow {
  readonly on: { readonly schedule?: readonly object[] }
  readonly permissions: { readonly actions?: string }
  readonly jobs: {
    readonly [name: string]: { readonly steps: readonly { readonly run?: string }[] }
  }
}

test('each workflow with a schedule enables itself again', () => {
  for (const file of ['deploy/copy/github/pages.yml', 'deploy/audit/github/audit.yml']) {
    const { on, permissions, jobs } = parse(readFileSync(file, 'utf8')) as Workflow
    assert.ok(on.schedule !== undefined && permissions.actions === 'write', file)
    const runs = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run }) => run))
    assert.ok(runs.includes(`.public-api/${SCRIPT}`), file)
  }
})

test('the workflow is named by its file, and a refusal is a warning', (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(path.join(folder, 'gh'), '#!/bin/sh\necho "$@"\nexit "$STATUS"\n', { mode: 0o755 })
  const run = (status: string) =>
    spawnSync('sh', [SCRIPT], {
      encoding: 'utf8',
      env: {
        PATH: `${folder}:${process.env['PATH']}`,
        STATUS: status,
        GITHUB_REPOSITORY: 'example/status',
        GITHUB_WORKFLOW_REF: 'example/status/.github/workflows/copy.yml@refs/heads/main',
      },
    })
  const call = 'api --silent --method PUT repos/example/status/actions/workflows/copy.yml/enable\n'
  assert.deepEqual([run('0').status, run('0').stdout], [0, call])
  const refused = run('1')
  assert.equal(refused.status, 0)
  assert.match(refused.stdout, /\n::warning::The schedule of copy\.yml could not be kept enabled; /)
})
