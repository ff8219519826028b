import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../caches/cache-process.ts'
import { editFile, makeDeployment, resourceFile } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { holdConnection } from '../support/held-connection.ts'
import { startService } from '../support/service-process.ts'
import { textsBelow } from '../support/texts-below.ts'

/** An address of loopback that is neither the service's own nor anything else in this deployment. */
const CLIENT = '127.0.0.73'
/** What only the client sends. None of it may be found afterwards. */
const CLIENT_DATA = [
  CLIENT,
  '203.0.113.7',
  'query-word',
  'agent-word',
  'referer.example',
  'body-word',
  'cookie-word',
  'svk_0123456789abcdef',
  'path-word',
  'host-word',
  'etag-word',
]

const COMMON = [
  'Host: host-word.example',
  'User-Agent: agent-word/1.0',
  'X-Forwarded-For: 203.0.113.7',
  'Forwarded: for=203.0.113.7',
  'Referer: https://referer.example/page',
  'Cookie: cookie-word=1',
  'Connection: close',
]

function request(method: string, target: string, extra: readonly string[] = [], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${body.length}`]
  return [`${method} ${target} HTTP/1.1`, ...COMMON, ...extra, ...length, '', body].join('\r\n')
}

const KEY = `svk_0123456789abcdef_${'x'.repeat(43)}`
const BODY = '{"email":"body-word@example.test","body-word":true}'
const JSON_TYPE = 'Content-Type: application/json'

const TRAFFIC: readonly string[] = [
  request('GET', '/api/v1/status?q=query-word'),
  request('HEAD', '/api/v1/status?q=query-word'),
  request('GET', '/api/v1/roadmap?q=query-word'),
  request('GET', '/api/v1/time', ['If-None-Match: "etag-word"']),
  request('GET', '/api/v1/path-word'),
  request('GET', '/path-word'),
  request('GET', '/api/v1/versions/path-word'),
  request('GET', '/api/v1/preview/path-word'),
  request('PATCH', '/api/v1/status'),
  request('OPTIONS', '/api/v1/status', ['Origin: https://referer.example']),
  request('POST', '/api/v1/early-access/register', [JSON_TYPE], BODY),
  request('POST', '/api/v1/early-access/register', ['Content-Type: text/plain'], 'body-word'),
  request('POST', '/api/v1/keys', [JSON_TYPE], BODY),
  request('GET', '/api/v1/keys/self', [`Authorization: Bearer ${KEY}`]),
  request('DELETE', '/api/v1/keys/self', [`X-SVC-Key: ${KEY}`]),
  request('GET', '/api/v1/status', [`X-SVC-Key: ${KEY}`]),
  request('GET', `http://host-word.example/api/v1/time?q=query-word`),
  request('CONNECT', 'host-word.example:443'),
  request('GET', '/api/v1/time', ['Expect: query-word']),
  request('POST', '/api/v1/keys', ['Transfer-Encoding: chunked', JSON_TYPE], ''),
  'query-word agent-word\r\n\r\n',
  `GET /${'query-word'.repeat(3000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
]

// Level trace logs all that the others do.
test('at level trace the log is JSON lines without client data', async (t) => {
  const { folder, releasesDir } = makeDeployment(t)
  // A resource that answers 503, so that the log has reason to speak.
  editFile(resourceFile(releasesDir, 'VS-0002', 'roadmap'), (text) => `${text} `)
  const service = startService(t, folder, { SVC_LOG_LEVEL: 'trace', HOST: '127.0.0.2' })
  const { port } = await service.serving()
  const answered = await Promise.all(
    TRAFFIC.map(async (bytes) => {
      const held = await holdConnection(t, port, { host: '127.0.0.2', localAddress: CLIENT })
      held.send(bytes)
      // The chunked body never ends; its response comes without it.
      return held.until((text) => text.includes('\r\n\r\n'))
    }),
  )
  assert.ok(answered.every((text) => /^HTTP\/1\.1 [2-5]\d\d /.test(text)))
  service.signal('SIGTERM')
  assert.equal((await service.ended).code, 0)

  const lines = service.lines()
  assert.ok(lines.length >= 4)
  for (const line of lines) {
    assert.match(line.level, /^(trace|debug|info|warn|error|fatal)$/)
    assert.ok(!Number.isNaN(Date.parse(String(line['time']))))
    assert.equal(typeof line.msg, 'string')
  }
  const written = service.stdout() + service.stderr()
  for (const word of CLIENT_DATA) {
    assert.ok(!written.includes(word), `the log holds ${word}: ${written}`)
    for (const [file, text] of textsBelow(folder)) {
      assert.ok(!text.includes(word), `${file} holds ${word}`)
    }
  }
})

test('at level silent the service serves and logs nothing', async (t) => {
  const { folder } = makeDeployment(t)
  // No line has its port, so the test chooses one.
  const port = await freePort()
  const env = { SVC_LOG_LEVEL: 'silent', SVC_WORKRES: '1', PORT: String(port) }
  const service = startService(t, folder, env)
  await eventually('it answers', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/time`).catch(() => undefined)
    return response?.status === 200 || undefined
  })
  assert.deepEqual(await service.stop(), { code: 0, signal: null })
  assert.equal(service.stdout() + service.stderr(), '')
})
