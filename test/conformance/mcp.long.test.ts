import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { BUILDS } from '../../scripts/build-package.ts'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { runApp, TEST_SIGNING_KEY } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import * as foreign from './foreign-programs.ts'
import { serveStdioServer } from './http-bridge.ts'

const MAIN = path.resolve('packages/mcp/src/main.ts')
const skip =
  foreign.skip === false && !existsSync('packages/mcp/node_modules')
    ? 'packages/mcp is not installed; run npm ci --prefix packages/mcp --ignore-scripts'
    : foreign.skip

/** Scenarios of the suite that are expected to fail, by the reason. The suite reports one that passes. */
const EXCLUDED: Readonly<Record<string, readonly string[]>> = {
  'need tools, prompts and resources of the suite’s own server': [
    'completion-complete',
    'json-schema-2020-12',
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-with-logging',
    'tools-call-error',
    'tools-call-with-progress',
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'logging-set-level',
    'resources-list',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'resources-subscribe',
    'resources-unsubscribe',
    'sep-2164-resource-not-found',
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
    'input-required-result-basic-elicitation',
    'input-required-result-basic-sampling',
    'input-required-result-basic-list-roots',
    'input-required-result-request-state',
    'input-required-result-multiple-input-requests',
    'input-required-result-multi-round',
    'input-required-result-missing-input-response',
    'input-required-result-ignore-extra-params',
    'input-required-result-non-tool-request',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'input-required-result-capability-check',
  ],
  'check the HTTP of the bridge, and this server has none': [
    'dns-rebinding-protection',
    'http-header-validation',
    'http-custom-header-server-validation',
  ],
  'have checks of these kinds, among those of CHECKS': ['server-stateless', 'caching'],
}

/** Checks of excluded scenarios that apply to this server. */
const CHECKS = [
  'sep-2575-request-meta-invalid-missing-client-capabilities',
  'sep-2575-request-meta-client-info-optional',
  'sep-2575-server-implements-discover',
  'sep-2575-server-identifies-in-result-meta',
  'sep-2575-discover-capabilities-match-handlers',
  'sep-2575-server-unsupported-version-error',
  'sep-2575-http-server-error-jsonrpc-id',
  'sep-2549-tools-list-caching-hints',
  'sep-2549-ttl-non-negative',
  'sep-2549-cache-scope-valid',
]

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

for (const revision of ['2026-07-28', '2025-11-25', '2025-06-18']) {
  void test(`the official conformance suite passes in ${revision}`, { skip }, async (t) => {
    foreign.reportPackage(t, '@modelcontextprotocol/conformance')
    const url = await serveStdioServer(t, [process.execPath, MAIN, 'http://127.0.0.1:9'])
    const folder = temporaryFolder(t)
    const main = foreign.foreignFile('@modelcontextprotocol/conformance', 'dist', 'index.js')
    const baseline = path.join(folder, 'baseline.yml')
    const args = [
      '--url',
      url,
      '--suite',
      'all',
      '--spec-version',
      revision,
      '--output-dir',
      folder,
    ]
    const listed = await foreign.runForeign(process.execPath, [main, 'list', '--server'])
    const known = new Set(
      [...listed.stdout.matchAll(/- (\S+) \[(.*)\]/g)]
        .filter(([, , revisions]) => revisions?.split(',').includes(revision))
        .map(([, name]) => name),
    )
    const excluded = Object.values(EXCLUDED)
      .flat()
      .filter((name) => known.has(name))
    writeFileSync(baseline, `server:\n${excluded.map((name) => `  - ${name}\n`).join('')}`)
    const { code, stdout } = await foreign.runForeign(process.execPath, [
      main,
      'server',
      ...args,
      '--timeout',
      '300000',
      '--expected-failures',
      baseline,
    ])
    assert.equal(code, 0, stdout.slice(-6000))
    const checks = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('checks.json'))
      .flatMap((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Check[])
    const passed = checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id)
    assert.ok(passed.includes('tools-list'), passed.join(' '))
    if (revision !== '2026-07-28') return
    assert.deepEqual(
      CHECKS.filter((id) => !passed.includes(id)),
      [],
    )
    t.diagnostic(`${passed.length} checks pass`)
  })
}

void test('the official inspector lists and calls the tools', { skip }, async (t) => {
  foreign.reportPackage(t, '@modelcontextprotocol/inspector')
  const app = await runApp(t, { clock: { nowMs: Date.now } })
  const launcher = ['clients', 'launcher', 'build', 'index.js']
  const inspector = foreign.foreignFile('@modelcontextprotocol/inspector', ...launcher)
  const { keyId } = derivePublicSigningKey(TEST_SIGNING_KEY)
  const env = { ...process.env, HOME: temporaryFolder(t) }
  const inspect = async (...args: readonly string[]): Promise<string> => {
    const server = [process.execPath, MAIN, app.origin, `--pin=${keyId}`]
    const ended = await foreign.runForeign(
      process.execPath,
      [inspector, '--cli', ...server, ...args],
      { env },
    )
    assert.equal(ended.code, 0, ended.stderr)
    return ended.stdout
  }
  assert.match(await inspect('--method', 'tools/list'), /"get_history_entry"/)
  const called = await inspect('--method', 'tools/call', '--tool-name', 'get_status')
  const { content } = JSON.parse(called) as {
    readonly content: readonly [{ readonly text: string }]
  }
  const served = (await (await fetch(`${app.origin}/api/v1/status`)).json()) as { data: object }
  assert.deepEqual((JSON.parse(content[0].text) as { data: object }).data, served.data)
})

interface AiSdk {
  createMCPClient(options: object): Promise<{
    readonly initializeResult: { readonly protocolVersion: string }
    callTool(call: object): Promise<{ readonly content: readonly { readonly text?: string }[] }>
    close(): Promise<void>
  }>
}
interface AiSdkStdio {
  readonly Experimental_StdioMCPTransport: new (options: object) => object
}

void test(
  'the client of the AI SDK, which waits a second, gets the newest protocol',
  { skip },
  async (t) => {
    foreign.reportPackage(t, '@ai-sdk/mcp')
    const app = await runApp(t, { clock: { nowMs: Date.now } })
    const built = temporaryFolder(t)
    await BUILDS.mcp(built)
    const dist = foreign.foreignFile('@ai-sdk/mcp', 'dist')
    const load = async (...parts: readonly string[]): Promise<unknown> =>
      import(pathToFileURL(path.join(dist, ...parts)).href)
    const { createMCPClient } = (await load('index.js')) as AiSdk
    const { Experimental_StdioMCPTransport: Stdio } = (await load(
      'mcp-stdio',
      'index.js',
    )) as AiSdkStdio
    const args = [path.join(built, 'dist', 'main.js'), app.origin]
    const client = await createMCPClient({
      transport: new Stdio({ command: process.execPath, args, stderr: 'ignore' }),
    })
    t.after(() => client.close())
    assert.equal(client.initializeResult.protocolVersion, '2026-07-28')
    const { content } = await client.callTool({ name: 'get_status', arguments: {} })
    assert.match(content[0]?.text ?? '', /"isPinned": ?false/)
  },
)
