import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { test } from 'node:test'
import { sliceKeyId } from '@public-api/contract/keys/api-key'
import { makeDeployment } from '../support/deployment.ts'
import { ENDPOINT_REQUESTS, formsOfKey, KEYS, SELF } from '../support/keyed-app.ts'
import {
  becomes,
  putKey,
  startKeyed,
  stopKeyed,
  writeHashSecrets,
  type KeyedService,
} from '../support/keyed-service.ts'
import { type RawResponse, sendRequest } from '../support/raw-http.ts'
import { TEST_HASH_SECRET } from '../support/stored-keys.ts'
import { textsBelow } from '../support/texts-below.ts'

const keyLine = (key: string) => [`X-SVC-Key: ${key}`]
const changed = (key: string) => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')

async function keyedTraffic(running: KeyedService, key: string): Promise<readonly RawResponse[]> {
  const responses: RawResponse[] = []
  for (const { method, target, headers, body } of ENDPOINT_REQUESTS) {
    for (const [lines, query] of [
      [keyLine(key), ''],
      [[`Authorization: Bearer ${key}`], ''],
      [[`Authorization: Basic ${btoa(`key:${key}`)}`], ''],
      [[`X-SVC-Key: ${changed(key)}`], ''],
      [[`X-SVC-Key: ${key}`, 'Authorization: Bearer another'], ''],
      [[`Cookie: key=${key}`, `User-Agent: ${key}`, `Referer: http://localhost/?${key}`], ''],
      [[], `?key=${key}&access_token=${key}`],
    ] as const) {
      // Revoking ends the rest; it comes last.
      if (method === 'DELETE' && lines.some((line) => line.endsWith(key))) continue
      const all = [...headers, ...lines]
      responses.push(await sendRequest(running.port, method, target + query, all, body))
    }
  }
  for (const target of [
    `/api/v1/${key}`,
    `/${key}`,
    `/api/v1/versions/${key}`,
    `http://${key}/api/v1`,
  ]) {
    responses.push(await running.send('GET', target))
  }
  const body = JSON.stringify({ challengeToken: key, key, label: key })
  for (const target of [KEYS, '/api/v1/early-access/register']) {
    const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    responses.push(await sendRequest(running.port, 'POST', target, lines, body))
  }
  return responses
}

test('a key leaves no trace in any file, log line, metric or response', async (t) => {
  const deployment = makeDeployment(t)
  writeHashSecrets(deployment, TEST_HASH_SECRET)
  const running = await startKeyed(t, {
    deployment,
    env: { SVC_ADMIN_PORT: '0', SVC_CHALLENGE: 'test', SVC_LOG_LEVEL: 'trace' },
  })
  const { port: adminPort } = await running.service.line('Health and metrics')
  const key = await putKey(running.file, { label: 'traced' })
  const responses = [...(await keyedTraffic(running, key))]
  // While the database is away the log has much to say.
  renameSync(running.file, `${running.file}.aside`)
  responses.push(...(await keyedTraffic(running, key)))
  renameSync(`${running.file}.aside`, running.file)
  await becomes(running, key, '200')
  responses.push(await running.send('DELETE', SELF, keyLine(key)))
  const metrics = await (await fetch(`http://127.0.0.1:${Number(adminPort)}/metrics`)).text()
  const whileOpen = [...textsBelow(running.folder)]
  await stopKeyed(running)

  const sent = responses.map(({ body, headers }) => `${body} ${[...headers].join()}`).join('\n')
  const places = [
    ['a response', sent],
    ['standard output', running.service.stdout()],
    ['standard error', running.service.stderr()],
    ['the metrics', metrics],
    ...whileOpen,
    ...textsBelow(running.folder),
  ] as const
  assert.ok(
    running.service.lines().some(({ level }) => level === 'warn'),
    'the log had reason to speak',
  )
  assert.ok(
    whileOpen.some(([, text]) => text.includes(sliceKeyId(key))),
    'the id is kept',
  )
  for (const [form, text] of Object.entries(formsOfKey(key))) {
    for (const [place, held] of places) assert.ok(!held.includes(text), `${place}: ${form}`)
  }
  assert.ok(!running.service.stdout().includes('svk_'))
  assert.ok(!running.service.stdout().includes(sliceKeyId(key)), 'not even the id is logged')
  assert.ok(!metrics.includes(sliceKeyId(key)))
})
