import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { freePort, hasProgram, startCacheProcess } from '../caches/cache-process.ts'
import { key } from '../client/scripted-client.ts'
import { findChromium } from '../support/find-chromium.ts'
import { svc } from '../support/run-svc.ts'
import { runApp, TEST_NOW_MS } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { foreignFile, reportDebian, reportPackage, runForeign, skip } from './foreign-programs.ts'

const TARGET = '/api/v1/status'
const AT = ['--pin', key.keyId, '--at', new Date(TEST_NOW_MS).toISOString()]

/** Genuine: verified. One byte changed: not, with exit code 1. `head` is a file of the header lines beside the body. */
async function assertEvidence(keys: string, file: string, head?: string): Promise<void> {
  const verify = async (kept: string) => {
    const response = head === undefined ? ['--response', kept] : ['--headers', head, '--body', kept]
    return svc('verify', TARGET, ...response, '--keys', keys, ...AT)
  }
  const { status, out, error } = await verify(file)
  assert.equal(status, 0, `${file}: ${error}`)
  assert.match(out, /^Verified: signed by/m)
  const bytes = readFileSync(file)
  const plain = bytes.toString('hex', 0, 2) === '1f8b' ? gunzipSync(bytes) : bytes
  const at = plain.lastIndexOf('operational')
  assert.ok(at > 0)
  const changed = `${file}.changed`
  writeFileSync(changed, plain.fill('O', at, at + 1))
  const found = await verify(changed)
  assert.match(found.error, /^error: DIGEST: /)
  assert.equal(found.status, 1)
}

async function start(t: TestContext) {
  const app = await runApp(t)
  const folder = temporaryFolder(t)
  const place = (name: string) => path.join(folder, name)
  const keys = place('keys.json')
  writeFileSync(keys, await (await app.fetch('/api/v1/keys/signing-key')).text())
  return { url: `${app.origin}${TARGET}`, folder, place, keys }
}

/** What each recorder writes to standard output, or to a file of this name. */
const RECORDERS: readonly (readonly [
  debian: string,
  program: string,
  args: readonly string[],
  file?: string,
])[] = [
  ['curl', 'curl', ['-sSi']],
  ['curl', 'curl', ['-sSi', '--compressed']],
  ['curl', 'curl', ['-sSi', '--raw']],
  ['wget', 'wget', ['-q', '--save-headers', '-O', '-']],
  ['wget', 'wget', ['-q', '-O', 'body', '--warc-file=whole'], 'whole.warc.gz'],
  ['wget', 'wget', ['-q', '-O', 'body', '--no-warc-compression', '--warc-file=b'], 'b.warc'],
  ['httpie', 'http', ['--ignore-stdin', '--print=hb', '--pretty=none']],
  ['w3m', 'w3m', ['-dump_both']],
  ['lynx', 'lynx', ['-mime_header']],
]

for (const [debian, program, args, file] of RECORDERS) {
  test(
    `what ${program} ${args.join(' ')} keeps is evidence`,
    { skip: !hasProgram(program) && `${program} is not installed` },
    async (t) => {
      await reportDebian(t, debian)
      const { url, folder, place, keys } = await start(t)
      const { code, stdout, stderr } = await runForeign(program, [...args, url], { cwd: folder })
      assert.equal(code, 0, stderr)
      if (file === undefined) writeFileSync(place('kept'), stdout)
      await assertEvidence(keys, place(file ?? 'kept'))
    },
  )
}

const MITMPROXY = `
from mitmproxy import ctx
from mitmproxy.addons.export import raw_response
def load(loader):
    loader.add_option("kept", str, "", "")
def response(flow):
    with open(ctx.options.kept, "wb") as file:
        file.write(raw_response(flow))
`

test(
  'what raw_response of mitmproxy keeps is evidence',
  { skip: !hasProgram('mitmdump') && 'mitmproxy is not installed' },
  async (t) => {
    await reportDebian(t, 'mitmproxy')
    const { url, folder, place, keys } = await start(t)
    writeFileSync(place('keep.py'), MITMPROXY)
    const port = await freePort()
    const { origin } = new URL(url)
    const options = [`confdir=${folder}`, 'listen_host=127.0.0.1', `listen_port=${port}`]
    options.push(`mode=reverse:${origin}`, `kept=${place('kept')}`)
    const set = options.flatMap((option) => ['--set', option])
    await startCacheProcess(t, port, 'mitmdump', ['-q', '-s', place('keep.py'), ...set], {})
    await (await fetch(`http://127.0.0.1:${port}${TARGET}`)).text()
    await assertEvidence(keys, place('kept'))
  },
)

const VCR = `
import json, sys, urllib.request, vcr
address, cassette, head, body = sys.argv[1:]
with vcr.use_cassette(cassette, serializer="json"):
    urllib.request.urlopen(address).read()
response = json.load(open(cassette))["interactions"][0]["response"]
lines = [f"{name}: {value}" for name, values in response["headers"].items() for value in values]
status = "HTTP/1.1 %(code)s %(message)s" % response["status"]
open(head, "w", newline="").write("\\r\\n".join([status, *lines, "", ""]))
open(body, "w", newline="").write(response["body"]["string"])
`

test(
  'what vcrpy keeps is evidence',
  { skip: spawnSync('/usr/bin/python3', ['-c', 'import vcr']).status !== 0 && 'no vcrpy' },
  async (t) => {
    await reportDebian(t, 'python3-vcr')
    const { url, place, keys } = await start(t)
    const files = ['cassette', 'head', 'body'].map(place)
    const { code, stderr } = await runForeign('/usr/bin/python3', ['-c', VCR, url, ...files])
    assert.equal(code, 0, stderr)
    await assertEvidence(keys, place('body'), place('head'))
  },
)

interface Undici {
  readonly fetch: (url: string, init: object) => Promise<Response>
  readonly SnapshotAgent: new (options: object) => {
    saveSnapshots(): Promise<void>
    close(): Promise<void>
  }
}
interface Snapshot {
  readonly snapshot: {
    readonly responses: readonly {
      readonly statusCode: number
      readonly headers: { readonly [name: string]: string }
      readonly body: string
    }[]
  }
}

test('what the SnapshotAgent of undici keeps is evidence', { skip }, async (t) => {
  reportPackage(t, 'undici')
  const { url, place, keys } = await start(t)
  const file = pathToFileURL(foreignFile('undici', 'index.js')).href
  const { default: undici } = (await import(file)) as { readonly default: Undici }
  const snapshotPath = place('snapshots.json')
  const agent = new undici.SnapshotAgent({ mode: 'record', snapshotPath })
  await (await undici.fetch(url, { dispatcher: agent })).text()
  await agent.saveSnapshots()
  await agent.close()
  const [kept] = JSON.parse(readFileSync(snapshotPath, 'utf8')) as readonly Snapshot[]
  const { statusCode, headers, body } = kept?.snapshot.responses[0] ?? assert.fail('no response')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  writeFileSync(place('head'), `HTTP/1.1 ${statusCode}\r\n${lines.join('')}\r\n`)
  writeFileSync(place('body'), Buffer.from(body, 'base64'))
  await assertEvidence(keys, place('body'), place('head'))
})

interface Browser {
  newContext(options: object): Promise<{
    newPage(): Promise<{
      goto(url: string): Promise<unknown>
      evaluate(script: string): Promise<unknown>
    }>
    close(): Promise<void>
  }>
  close(): Promise<void>
}

test(
  'the HAR of Playwright is evidence, but for a body that the cache put to a 304',
  { skip: skip || (findChromium() === undefined && 'chromium is not installed') },
  async (t) => {
    reportPackage(t, 'playwright-core')
    const { url, place, keys } = await start(t)
    const module = pathToFileURL(foreignFile('playwright-core', 'index.mjs')).href
    const { chromium } = (await import(module)) as {
      readonly chromium: { launch(options: object): Promise<Browser> }
    }
    const browser = await chromium.launch({
      executablePath: findChromium(),
      args: ['--no-sandbox'],
    })
    t.after(() => browser.close())
    const har = place('a.har')
    const context = await browser.newContext({ recordHar: { path: har, content: 'embed' } })
    const page = await context.newPage()
    await page.goto(url)
    await page.evaluate(`(async () => {
      const read = async (options) => {
        const response = await fetch('/api/v1/roadmap', options)
        await response.text()
        return response.headers.get('etag')
      }
      const tag = await read({})
      await read({ cache: 'no-cache' })
      await read({ cache: 'no-store', headers: { 'If-None-Match': tag } })
    })()`)
    await context.close()
    await assertEvidence(keys, har)
    const { status, out } = await svc('verify', '--response', har, '--keys', keys, ...AT)
    assert.equal(status, 2)
    assert.match(
      out,
      /^ok GET \S+status 200: .*\nok GET \S+roadmap 200: .*\n- GET \S+roadmap: .*fields of a 304 with status 200.*\nok GET \S+roadmap 304: .*\n$/,
    )
  },
)
