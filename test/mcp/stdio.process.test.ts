import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text as readText } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { serve } from '../support/loopback-server.ts'
import { skip } from './packed-server.ts'

const FOLDER = path.resolve('packages/mcp')
const MAIN = path.join(FOLDER, 'src', 'main.ts')
const MANIFEST = JSON.parse(readFileSync(path.join(FOLDER, 'package.json'), 'utf8')) as {
  readonly name: string
  readonly version: string
  readonly mcpName: string
  readonly files: readonly string[]
}

interface Answer {
  readonly id?: unknown
  readonly error?: { readonly code: number; readonly message: string }
  readonly result?: object
}

/** A server whose service never responds, after the handshake of the 2025 revisions. */
async function startServer(t: TestContext) {
  const silent = await serve(t, () => {})
  const child = spawn(process.execPath, [MAIN, silent], { stdio: 'pipe' })
  t.after(() => child.kill('SIGKILL'))
  const errors = readText(child.stderr)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async () => JSON.parse(String((await lines.next()).value)) as Answer
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'test', version: '1.0.0' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  send({ id: 'first', method: 'initialize', params })
  assert.equal((await next()).id, 'first')
  send({ method: 'notifications/initialized' })
  return { child, errors, next, send }
}

const LISTED = '{"jsonrpc":"2.0","id":77,"method":"tools/list"}'

void test('answers each line that is not a message, and continues', { skip }, async (t) => {
  const { child, next } = await startServer(t)
  const lines: readonly (readonly [line: string | Buffer, code: number, id?: unknown])[] = [
    ['Content-Length: 47', -32700],
    ['{"jsonrpc":"2.0","id":1,', -32700],
    [Buffer.from([0x22, 0xff, 0x22]), -32700],
    ['[]', -32600],
    [`[${LISTED}]`, -32600],
    ['null', -32600],
    ['{"id":5,"method":"tools/list"}', -32600, 5],
    ['{"jsonrpc":"2.0","id":"a"}', -32600, 'a'],
    ['{"jsonrpc":"2.0","id":1152921504606846976,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    [`"${'x'.repeat(33 * 2 ** 20)}"`, -32600],
    ['{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"nothing"}}', -32602, 6],
    ['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}', -32602, 7],
    [
      '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"audit","arguments":[]}}',
      -32602,
      8,
    ],
    ['{"jsonrpc":"2.0","id":9,"method":"tools/none"}', -32601, 9],
    ['{"jsonrpc":"2.0","id":10,"method":"tools/list","params":{"cursor":5}}', -32602, 10],
    ['{"jsonrpc":"2.0","id":11,"method":"tools/list","params":[]}', -32602, 11],
    ['{"jsonrpc":"2.0","id":12,"method":"tools/list","params":{"_meta":5}}', -32602, 12],
    ['{"jsonrpc":"2.0","id":13,"method":"initialize"}', -32602, 13],
  ]
  for (const [line, code, id] of lines) {
    child.stdin.write(Buffer.concat([Buffer.from(line), Buffer.from('\n')]))
    const { id: answered, error } = await next()
    const shown = line.toString().slice(0, 80)
    assert.deepEqual([error?.code, answered], [code, id], `${shown}: ${error?.message}`)
  }
  // A byte order mark, empty lines and the line ends of Windows are accepted.
  child.stdin.write(`\r\n\n\ufeff${LISTED}\r\n`)
  const { id, result } = await next()
  assert.equal(id, 77)
  assert.match(JSON.stringify(result), /get_status/)
})

void test(
  'reports arguments that a model can correct as the result of the tool',
  { skip },
  async (t) => {
    const { next, send } = await startServer(t)
    send({ id: 1, method: 'tools/call', params: { name: 'get_history_entry', arguments: {} } })
    const { result } = await next()
    assert.match(JSON.stringify(result), /"isError":true/)
    assert.match(JSON.stringify(result), /snapshotId/)
  },
)

void test('reports a response to no request on standard error', { skip }, async (t) => {
  const { child, errors, send, next } = await startServer(t)
  send({ id: 'none', result: {} })
  child.stdin.end(LISTED)
  assert.equal((await next()).id, 77)
  assert.match(await errors, /error: .*none/)
})

void test('ends without a stack trace when its reader is gone', { skip }, async (t) => {
  const { child, errors } = await startServer(t)
  child.stdout.destroy()
  child.stdin.write(`${LISTED}\n${LISTED}\n`)
  const [exitCode] = (await once(child, 'exit')) as [number]
  assert.equal(exitCode, 0)
  assert.doesNotMatch(await errors, /EPIPE|\n {4}at /)
})

void test(
  'ends soon after its input, although the service does not respond',
  { skip },
  async (t) => {
    const { child, send } = await startServer(t)
    send({ id: 2, method: 'tools/call', params: { name: 'get_status', arguments: {} } })
    child.stdin.end()
    const [exitCode] = (await once(child, 'exit')) as [number]
    assert.equal(exitCode, 0)
  },
)

void test('prints its version and its options', { skip }, async () => {
  const run = promisify(execFile)
  const version = await run(process.execPath, [MAIN, '--version'])
  assert.equal(version.stdout, `${MANIFEST.version}\n`)
  const help = await run(process.execPath, [MAIN, '--help'])
  for (const { name } of SERVER.packages[0].packageArguments) {
    if (name !== undefined) assert.match(help.stdout, new RegExp(`^ {2}${name} `, 'm'))
  }
  await assert.rejects(run(process.execPath, [MAIN]), { code: 2 })
})

const SERVER = JSON.parse(readFileSync(path.join(FOLDER, 'server.json'), 'utf8')) as {
  readonly name: string
  readonly version: string
  readonly packages: readonly [
    {
      readonly identifier: string
      readonly version: string
      readonly packageArguments: readonly { readonly name?: string }[]
    },
  ]
}

const line = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })
const closed = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const input = {
  description: line(300),
  isRequired: { const: true },
  isRepeated: { const: true },
  placeholder: line(100),
  format: { enum: ['string', 'number', 'boolean', 'filepath'] },
  default: line(100),
}

/** The rules of the registry's schema of 2025-12-11 for the members that the file has. A new member needs its rule here. */
const SERVER_JSON = closed(
  {
    $schema: {
      const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    },
    name: { type: 'string', pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$', maxLength: 200 },
    title: line(100),
    description: line(100),
    version: { type: 'string', pattern: String.raw`^\d+\.\d+\.\d+$` },
    websiteUrl: { type: 'string', pattern: '^https://' },
    repository: closed(
      { url: { type: 'string', pattern: '^https://' }, source: { const: 'github' }, subfolder: {} },
      ['url', 'source'],
    ),
    packages: {
      type: 'array',
      minItems: 1,
      items: closed(
        {
          registryType: { const: 'npm' },
          identifier: line(214),
          version: { type: 'string', pattern: String.raw`^\d+\.\d+\.\d+$` },
          runtimeHint: { const: 'npx' },
          transport: closed({ type: { const: 'stdio' } }, ['type']),
          packageArguments: {
            type: 'array',
            items: {
              anyOf: [
                closed({ ...input, type: { const: 'positional' }, valueHint: line(50) }, [
                  'type',
                  'valueHint',
                ]),
                closed({ ...input, type: { const: 'named' }, name: line(50) }, ['type', 'name']),
              ],
            },
          },
        },
        ['registryType', 'identifier', 'version', 'transport'],
      ),
    },
  },
  ['name', 'description', 'version'],
)

void test('server.json is what the registry accepts, and names the package', () => {
  const isValid = new Ajv2020().compile(SERVER_JSON)
  assert.ok(isValid(SERVER), JSON.stringify(isValid.errors))
  assert.equal(SERVER.name, MANIFEST.mcpName)
  assert.equal(SERVER.packages[0].identifier, MANIFEST.name)
  assert.deepEqual(
    [SERVER.version, SERVER.packages[0].version],
    [MANIFEST.version, MANIFEST.version],
  )
  assert.ok(MANIFEST.files.includes('server.json'))
  assert.ok(existsSync(path.join(FOLDER, 'server.json')))
})
