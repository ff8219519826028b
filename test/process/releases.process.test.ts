import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { versionHashText, type VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { sha256Base64url, sha256Hex } from '../../src/crypto/sha256.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { editFile, makeDeployment, resourceFile } from '../support/deployment.ts'
import { failedStart, startService } from '../support/service-process.ts'

const FAILED = { code: 1, signal: null }

test('a missing version entry fails the start by its id', async (t) => {
  const { folder, releasesDir } = makeDeployment(t)
  rmSync(path.join(releasesDir, 'versions', 'VS-0001.json'))
  const { ending, service } = await failedStart(t, folder)
  assert.deepEqual(ending, FAILED)
  assert.match(service.stderr(), /The version chain is broken at VS-0001: SNAPSHOT_ID/)
})

test('a damaged resource makes only its own endpoint unavailable, with the reason in the log', async (t) => {
  const { folder, releasesDir } = makeDeployment(t)
  editFile(resourceFile(releasesDir, 'VS-0002', 'roadmap'), (text) => `${text} `)
  const service = startService(t, folder)
  const { origin } = await service.serving()
  const line = await service.line('damaged')
  assert.equal(line.level, 'error')
  assert.equal(line['resource'], 'roadmap')
  assert.equal(line['snapshotId'], 'VS-0002')
  assert.match(String(line['reason']), /found the digest \S+, expected /)

  for (const name of SNAPSHOT_NAMES) {
    const response = await fetch(`${origin}/api/v1/${name}`)
    assert.equal(response.status, name === 'roadmap' ? 503 : 200, name)
    if (name !== 'roadmap') continue
    const { error } = (await response.json()) as { error: { code: string; retryable: boolean } }
    assert.equal(error.code, 'SNAPSHOT_UNAVAILABLE')
    assert.equal(error.retryable, true)
  }
  const others = [
    'index',
    'time',
    'policy',
    'openapi',
    'version',
    'versions',
    'signingKey',
  ] as const
  for (const name of others) {
    assert.equal((await fetch(`${origin}${ENDPOINTS[name].path}`)).status, 200, name)
  }
  assert.equal((await fetch(`${origin}/api/v1/versions/VS-0001`)).status, 200)
  assert.equal((await service.stop()).code, 0)
})

test('a damaged resource of an older version is found after the start, and all else is served', async (t) => {
  const { folder, releasesDir } = makeDeployment(t)
  const file = resourceFile(releasesDir, 'VS-0001', 'status')
  writeFileSync(file, '{}')
  const service = startService(t, folder, { SVC_RELEASE_POLL_SECONDS: '0' })
  const { origin } = await service.serving()
  const { reason } = await service.line('The releases folder is damaged')
  assert.match(String(reason), /status of VS-0001/)
  const archived = `${origin}/archive/resources/status/${path.basename(file)}`
  assert.equal((await fetch(archived)).status, 404)
  for (const name of SNAPSHOT_NAMES) {
    assert.equal((await fetch(`${origin}/api/v1/${name}`)).status, 200, name)
  }
  assert.equal((await service.stop()).code, 0)
})

test('a start with an empty releases folder says what to do', async (t) => {
  const { folder, releasesDir } = makeDeployment(t)
  rmSync(releasesDir, { recursive: true })
  mkdirSync(releasesDir)
  const { ending, service } = await failedStart(t, folder)
  assert.deepEqual(ending, FAILED)
  assert.match(service.stderr(), /No version is published; publish one first/)
})

test('a FIFO instead of a version fails the start and is named by its ID', async (t) => {
  const { folder, releasesDir } = makeDeployment(t)
  const file = path.join(releasesDir, 'versions', 'VS-0002.json')
  rmSync(file)
  execFileSync('mkfifo', [file])
  const { ending, service } = await failedStart(t, folder)
  assert.deepEqual(ending, FAILED)
  assert.match(service.stderr(), /VS-0002.* it is not a regular file/)
})

test('a resource of the wrong shape makes its endpoint unavailable, and its page still works', async (t) => {
  const { folder, releasesDir } = makeDeployment(t)
  const text = '{"components":"none"}'
  const digest = sha256Base64url(text)
  const store = openReleaseStore(releasesDir)
  store.writeResource('status', digest, text)
  const version = path.join(releasesDir, 'versions', 'VS-0002.json')
  const { hash: _, ...entry } = JSON.parse(readFileSync(version, 'utf8')) as VersionEntry
  const edited = { ...entry, resources: { ...entry.resources, status: digest } }
  writeFileSync(version, canonicalJson({ ...edited, hash: sha256Hex(versionHashText(edited)) }))
  const service = startService(t, folder)
  const { origin } = await service.serving()
  const line = await service.line('damaged')
  assert.equal(line['resource'], 'status')
  assert.match(String(line['reason']), /does not match its schema at \/\S+: expected/)
  const response = await fetch(`${origin}/api/v1/status`)
  assert.equal(response.status, 503)
  assert.equal((await fetch(`${origin}/en/status`)).status, 200)
  assert.equal((await fetch(`${origin}/api/v1/roadmap`)).status, 200)
  assert.equal((await service.stop()).code, 0)
})
