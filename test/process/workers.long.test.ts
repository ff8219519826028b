import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { editFile, listFolder, makeDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { holdConnection } from '../support/held-connection.ts'
import {
  hastyProgram,
  servedKeyId,
  startService,
  type ServiceProcess,
  isAlive,
} from '../support/service-process.ts'

/** Process ids of the workers that took requests so far, once there are as many; the newest last. */
function workerPids(service: ServiceProcess, count: number): Promise<readonly number[]> {
  return eventually(`${count} workers take requests`, () => {
    const lines = service.lines().filter(({ msg }) => msg === 'Worker ready')
    return lines.length >= count ? lines.map((line) => Number(line['pid'])) : undefined
  })
}

/** A metric's value, added up over its labels that hold the text. */
function sumOf(metrics: string, name: string, label: string): number {
  return metrics
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

async function startTwo(t: TestContext, program?: readonly string[]) {
  const deployment = makeDeployment(t)
  const env = { SVC_WORKERS: '2', SVC_ADMIN_PORT: '0' }
  const service = startService(t, deployment.folder, env, program)
  const { origin, port } = await service.serving()
  await workerPids(service, 2)
  const { port: adminPort } = await service.line('Health and metrics')
  const admin = `http://127.0.0.1:${String(adminPort)}`
  return { ...deployment, service, origin, port, admin }
}

/** One request on a new connection, so that the workers take turns. */
async function statusOf(url: string): Promise<number> {
  const response = await fetch(url, {
    headers: { Connection: 'close' },
    signal: AbortSignal.timeout(2000),
  })
  await response.arrayBuffer()
  return response.status
}

test('two workers share a port and their metrics, a killed one is replaced, and all stop', async (t) => {
  const { service, origin, admin, secretsDir } = await startTwo(t)
  const counted = async (status: string): Promise<number> => {
    const response = await fetch(`${admin}/metrics`)
    assert.equal(response.status, 200)
    return sumOf(await response.text(), 'svc_http_requests_total', `status="${status}"`)
  }
  assert.equal(await counted('200'), 0)
  for (let each = 0; each < 6; each += 1) await statusOf(`${origin}/api/v1/time`)
  await statusOf(`${origin}/api/v1/nowhere`)
  await eventually('all responses are counted', async () =>
    (await counted('200')) === 6 && (await counted('404')) === 1 ? true : undefined,
  )

  const made = service.lines().filter(({ msg }) => msg.includes('Created local secrets'))
  assert.equal(made.length, 1, 'the primary made the secrets, once')
  assert.equal(made[0]?.['worker'], undefined)
  assert.equal(listFolder(secretsDir).length, 6)

  const [first = 0, second = 0] = await workerPids(service, 2)
  process.kill(first, 'SIGKILL')
  const line = await service.line('Worker exited unexpectedly')
  assert.equal(line['signal'], 'SIGKILL')
  assert.equal(await statusOf(`${origin}/api/v1/time`), 200, 'the other one goes on')
  await workerPids(service, 3)

  // The new one takes connections too: without the other, the service still answers.
  process.kill(second, 'SIGKILL')
  await eventually('the new worker answers', async () => {
    // A connection that was just handed to the worker that was killed is lost.
    const status = await statusOf(`${origin}/api/v1/time`).catch(() => 0)
    return status === 200 ? true : undefined
  })
  assert.equal(await statusOf(`${admin}/readyz`), 200)

  const pids = await workerPids(service, 4)
  assert.deepEqual(await service.stop(), { code: 0, signal: null })
  assert.deepEqual(pids.filter(isAlive), [], 'no worker is left behind')
})

/** One value without labels; undefined if it is missing. */
function valueOf(metrics: string, name: string): number | undefined {
  const line = metrics.split('\n').find((each) => each.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length))
}

test('reports the metrics of serving workers while others crash, and counts the crashes', async (t) => {
  const { service, origin, admin, releasesDir } = await startTwo(t)
  for (let each = 0; each < 4; each += 1) await statusOf(`${origin}/api/v1/time`)
  // What starts from here on finds a broken chain, and ends.
  editFile(path.join(releasesDir, 'versions', 'VS-0001.json'), (text) =>
    text.replace('Made by a test.', 'Broken by a test.'),
  )
  const [first = 0] = await workerPids(service, 2)
  process.kill(first, 'SIGKILL')
  const text = await eventually('three deaths are counted', async () => {
    const signal = AbortSignal.timeout(500)
    // A busy machine needs several tries.
    const response = await fetch(`${admin}/metrics`, { signal }).catch(() => undefined)
    const metrics = await response?.text().catch(() => undefined)
    if (response === undefined || metrics === undefined) return undefined
    assert.equal(response.status, 200, metrics)
    return Number(valueOf(metrics, 'svc_worker_crashes_total')) >= 3 ? metrics : undefined
  })
  assert.equal(valueOf(text, 'svc_workers_accepting'), 1)
  assert.ok(sumOf(text, 'svc_http_requests_total', 'status="200"') > 0, 'the other worker’s')
  assert.equal((await service.stop()).code, 0)
})

test('omits worker metrics while a worker hangs, and stops nevertheless', async (t) => {
  const { service, admin } = await startTwo(t, hastyProgram({ graceMs: 300, killAfterMs: 500 }))
  const [hanging = 0] = await workerPids(service, 2)
  process.kill(hanging, 'SIGSTOP')
  const response = await fetch(`${admin}/metrics`)
  const text = await response.text()
  assert.equal(response.status, 200, text)
  assert.equal(valueOf(text, 'svc_worker_crashes_total'), 0)
  assert.ok(!text.includes('svc_http_requests_total'), 'no sum that leaves a worker out')

  assert.deepEqual(await service.stop(), { code: 0, signal: null })
  // On a busy machine the other one may be late, too.
  const late = service.lines().filter(({ msg }) => msg.includes('Worker did not stop in time'))
  assert.equal(late.find((line) => line['pid'] === hanging)?.level, 'error')
  assert.equal(isAlive(hanging), false)
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} to the primary completes requests in flight, and the service is not ready meanwhile`, async (t) => {
    const { service, port, origin, admin } = await startTwo(t)
    const held = await holdConnection(t, port)
    held.send('GET /api/v1/time HTTP/1.1\r\nHost: loc')
    // Connections are handed out in turn: once later ones were answered, this one has its worker.
    for (let each = 0; each < 4; each += 1) await statusOf(`${origin}/api/v1/time`)
    service.signal(signal)
    await service.line('Stopping')
    await eventually('it is not ready', async () =>
      (await statusOf(`${admin}/readyz`)) === 503 ? true : undefined,
    )
    assert.equal(await statusOf(`${admin}/healthz`), 200)
    held.send('alhost\r\n\r\n')
    assert.match(await held.closed, /^HTTP\/1\.1 200 [^]*SERVER_UTC/)
    assert.deepEqual(await service.ended, { code: 0, signal: null })
    assert.ok(service.lines().every(({ msg }) => !msg.includes('died')))
    assert.equal(service.stderr(), '')
  })
}

test('log lines of a worker contain its number, and shared warnings are logged once', async (t) => {
  const { folder, releasesDir } = makeDeployment(t)
  const env = {
    SVC_WORKERS: '2',
    SVC_WORKRES: '3',
    SVC_RUNTIME: 'production',
    SVC_API_KEY_HASH_SECRET: 'k'.repeat(32),
    SVC_ADDRESS_HASH_SECRET: 'a'.repeat(32),
    SVC_WAITLIST_RECIPIENT: 'age1yndu64g529zcj9txr67ysn6szmgktymx2wyutv3qzkqmvqsg9ppsn4pra5',
    SVC_RELEASES_DIR: path.relative(folder, releasesDir),
  }
  const service = startService(t, folder, env)
  await service.serving()
  const unsigned = await eventually('both workers said that they do not sign', () => {
    const lines = service.lines().filter(({ msg }) => msg.includes('unsigned'))
    return lines.length === 2 ? lines : undefined
  })
  assert.deepEqual(new Set(unsigned.map((line) => line['worker'])), new Set([1, 2]))
  for (const text of ['SVC_WORKRES', 'SVC_BASE_URL', 'Serving at']) {
    assert.equal(service.lines().filter(({ msg }) => msg.includes(text)).length, 1, text)
  }
  assert.equal((await service.stop()).code, 0)
})

test('after all workers crash, new ones have the port and the secrets of the start, even if the files changed', async (t) => {
  const { service, origin, secretsDir } = await startTwo(t)
  const keyId = await servedKeyId(origin)
  for (const file of ['key-hash-secret.txt', 'address-hash-secret.txt']) {
    writeFileSync(path.join(secretsDir, file), `${'0'.repeat(64)}\n`)
  }
  rmSync(path.join(secretsDir, 'signing-key.pem'))
  rmSync(path.join(secretsDir, 'signing-keys.json'))
  for (const pid of await workerPids(service, 2)) process.kill(pid, 'SIGKILL')
  await workerPids(service, 4)
  const after = await eventually('a new worker answers on the same port', () =>
    servedKeyId(origin).catch(() => undefined),
  )
  assert.equal(after, keyId)
  assert.ok(!listFolder(secretsDir).includes('signing-key.pem'), 'no worker makes another key')
  assert.deepEqual(await service.stop(), { code: 0, signal: null })
})

test('no secret is in the environment of a worker', async (t) => {
  const deployment = makeDeployment(t)
  const first = startService(t, deployment.folder)
  const keyId = await servedKeyId((await first.serving()).origin)
  assert.equal((await first.stop()).code, 0)
  // As variables of the primary, and gone as files.
  const read = (file: string) => readFileSync(path.join(deployment.secretsDir, file), 'utf8')
  const secrets = {
    SVC_SIGNING_KEY: read('signing-key.pem'),
    SVC_API_KEY_HASH_SECRET: read('key-hash-secret.txt'),
    SVC_ADDRESS_HASH_SECRET: read('address-hash-secret.txt'),
  }
  rmSync(path.join(deployment.secretsDir, 'signing-key.pem'))
  const service = startService(t, deployment.folder, { SVC_WORKERS: '2', ...secrets })
  const { origin } = await service.serving()
  for (const pid of await workerPids(service, 2)) {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
    assert.match(environment, /SVC_WORKERS=2/)
    for (const [name, text] of Object.entries(secrets)) {
      assert.ok(!environment.includes(name), name)
      assert.ok(!environment.includes(text.trim()), name)
    }
    assert.ok(!/PRIVATE KEY/.test(environment))
  }
  assert.equal(await servedKeyId(origin), keyId, 'the workers sign with it')
  assert.equal((await service.stop()).code, 0)
})
