import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { key } from '../client/scripted-client.ts'
import { passOn } from '../support/http-proxy.ts'
import { serve } from '../support/loopback-server.ts'
import { madeHistory } from '../support/made-releases.ts'
import { failedWith, svc } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { liveDependencies } from './verifying/live-app.ts'

const PIN = ['--pin', key.keyId]

test('cuts off and reports endless bodies and decompression bombs', async (t) => {
  const part = Buffer.alloc(1_000_000)
  const endless = await serve(t, (_request, response) => {
    const write = () => {
      while (!response.destroyed && response.write(part));
    }
    response.on('drain', write)
    write()
  })
  const bomb = gzipSync(Buffer.alloc(20_000_000))
  const growing = await serve(t, (_request, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb)
  })
  for (const [origin, unit] of [
    [endless, 'bytes'],
    [growing, 'bytes once its content coding gzip is undone'],
  ] as const) {
    const url = `${origin}/api/v1/status`
    const error = failedWith(1, await svc('verify', url, ...PIN))
    assert.equal(
      error,
      `error: ${url} has more than 16000000 ${unit}; no valid response is nearly as large\n`,
    )
  }
})

test('does not parse a large key document that is not signed', async (t) => {
  const { origin } = await runApp(t)
  const one = { jwk: { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) } }
  const keys = JSON.stringify({ data: { keys: Array.from({ length: 150_000 }, () => one) } })
  const flooding = await serve(t, (request, response) => {
    if (request.url?.startsWith(READ_PATHS.signingKey) === true) response.end(keys)
    else response.writeHead(302, { Location: origin }).end()
  })
  const error = failedWith(1, await svc('verify', `${flooding}/api/v1/status`, ...PIN))
  assert.match(error, /UNSIGNED: no signing-key document/)
})

test('an audit ends at its overall time limit', async (t) => {
  const releases = madeHistory(3)
  const app = await runApp(t, { ...liveDependencies(), releases })
  const origin = await serve(t, (request, response) => {
    const target = request.url ?? ''
    // Each response in time, and some in a time that adds up.
    const delayMs = target.includes('/versions/') ? 60_000 : 0
    const timer = setTimeout(() => {
      passOn(request, response, app.port)
    }, delayMs)
    response.on('close', () => clearTimeout(timer))
  })
  const error = failedWith(3, await svc('audit', origin, ...PIN, '--max-time', '4'))
  assert.match(error, /^error: the audit of .* took longer than 4 s; --max-time allows more\n$/)
  const wrong = failedWith(2, await svc('audit', origin, '--max-time', '0'))
  assert.match(wrong, /--max-time expects whole seconds from 1 to 86400/)
})

test('reports a state path that is not or cannot be a regular file', async (t) => {
  const app = await runApp(t, {
    ...liveDependencies(),
    releases: madeHistory(1),
  })
  for (const [state, expected] of [
    ['/dev/zero', /\/dev\/zero: expected a regular file, found a folder, a device or a pipe/],
    ['/dev/null', /\/dev\/null: expected a regular file/],
    ['/proc/self/x/y', /\/proc\/self\/x\/y: ENOENT/],
  ] as const) {
    if (!existsSync(path.dirname(path.dirname(state)))) continue
    const { status, error } = await svc('audit', app.origin, ...PIN, '--state', state)
    assert.equal(status, 2, state)
    assert.match(error, expected)
    assert.doesNotMatch(error, /^ +at /m)
  }
})

test('reports an endless saved file and a folder', async (t) => {
  const folder = temporaryFolder(t)
  const file = (name: string, text: string | Uint8Array): string => {
    const place = path.join(folder, name)
    writeFileSync(place, text)
    return place
  }
  const head = file('head', 'HTTP/1.1 200 OK\r\nETag: "a"\r\n\r\n')
  const coded = file('coded', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n')
  const keys = file('keys', '{"data":{"keys":[]}}')
  const bomb = file('bomb', gzipSync(Buffer.alloc(20_000_000)))
  const directory = path.join(folder, 'directory')
  mkdirSync(directory)
  const zero = '/dev/zero'
  for (const [args, expected] of [
    [['--headers', zero, '--keys', keys], /\/dev\/zero: expected at most 1000000 bytes/],
    [['--headers', head, '--body', zero, '--keys', keys], /zero: expected at most 16000000 bytes/],
    [['--headers', head, '--keys', zero], /\/dev\/zero: expected at most 100000000 bytes/],
    [['--headers', directory, '--keys', keys], /directory: could not be read \(it is a folder\)/],
    [['--headers', head, '--keys', directory], /directory: could not be read \(it is a folder\)/],
    [['--headers', coded, '--body', bomb, '--keys', keys], /bomb: has more than 16000000 bytes/],
  ] as const) {
    const { status, error } = await svc('verify', '/api/v1/status', ...args)
    assert.equal(status, 2, args.join(' '))
    assert.match(error, expected)
    assert.doesNotMatch(error, /^ +at /m)
  }
  const evidence = failedWith(2, await svc('audit', '--check-evidence', zero, ...PIN))
  assert.match(evidence, /\/dev\/zero: expected at most 100000000 bytes/)
})
