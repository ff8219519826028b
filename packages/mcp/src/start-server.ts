import { readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import type { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { formatErrorLine } from '@public-api/cli-kit/error-line'
import { parseWholeNumber } from '@public-api/cli-kit/option-values'
import { parsePinSource, readKeyRecord } from '@public-api/cli/src/pinning/pin-source.ts'
import type { Client } from '@public-api/client-internal/client'
import type { ClientOptions } from '@public-api/client-internal/client-options'
import { createClient } from '@public-api/client-internal/client-with-copies'
import { createServer } from './create-server.ts'
import type { Source } from './proved-reads.ts'
import { createStdioTransport } from './stdio-transport.ts'

const KEY_ID = /^[\w-]{43}$/
const OPTIONS = {
  pin: { type: 'string', multiple: true },
  'pin-from': { type: 'string' },
  mirror: { type: 'string', multiple: true },
  'max-mirror-age': { type: 'string' },
  timeout: { type: 'string', default: '50' },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const
const TIMEOUT_SECONDS = { unit: 'seconds', least: 1, most: 3600 }
const AGE_SECONDS = { unit: 'seconds', least: 1, most: 1_000_000_000 }

/** Read from the manifest beside the built program. */
export function readVersion(): string {
  const file = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}

/** Creates the client when the first tool is called, because the IDs may have to be read first. */
function createSource(
  url: string,
  pins: readonly string[],
  pinFrom: string | undefined,
  copies: Required<Pick<ClientOptions, 'mirrors' | 'maxMirrorAgeSeconds'>>,
  timeoutMs: number,
) {
  const from = pinFrom === undefined ? undefined : parsePinSource(pinFrom)
  const open = (pinnedKeyIds: readonly string[]): Source => {
    const isPinned = pinnedKeyIds.length > 0
    const pinning = isPinned ? { pinnedKeyIds } : {}
    // A part of a call, so that a request that is not answered can be repeated, and copies read.
    const parts = 2 + 2 * copies.mirrors.length
    const options = { baseUrl: url, ...copies, timeoutMs: timeoutMs / parts, ...pinning }
    const client: Client = createClient(options)
    return { client, isPinned }
  }
  // Wrong options are reported at the start.
  const opened = open(pins)
  let opening: Promise<Source> | undefined =
    from === undefined ? Promise.resolve(opened) : undefined
  const readPins = async (): Promise<Source> => {
    if (from === undefined) return opened
    const { keyIds, warning } = await readKeyRecord(from, new URL(url).hostname)
    if (warning !== undefined) process.stderr.write(`warning: ${warning}\n`)
    return open([...pins, ...keyIds])
  }
  return async (): Promise<Source> => {
    opening ??= readPins()
    try {
      return await opening
    } catch (error) {
      opening = undefined
      throw error
    }
  }
}

/** Joins `--pin` and its value: a key ID is base64url and may start with a dash, which `parseArgs` takes for an option. */
function joinPins(args: readonly string[]): string[] {
  return args
    .join('\0')
    .replaceAll(/(?<=^|\0)--pin\0/g, '--pin=')
    .split('\0')
}

/** The options and arguments of the program. Throws a TypeError. */
export function parseServerArgs(args: readonly string[]) {
  return parseArgs({ args: joinPins(args), allowPositionals: true, options: OPTIONS })
}

export function report({ message }: Error): void {
  process.stderr.write(`${formatErrorLine(message)}\n`)
}

/** Starts a server on these streams. Throws a TypeError for wrong arguments. */
export function startMcpServer(
  { values, positionals }: ReturnType<typeof parseServerArgs>,
  input: Readable,
  output: Writable,
): void {
  const [url, ...others] = positionals
  if (url === undefined || others.length > 0) throw new TypeError('expected one URL')
  const pins = values.pin ?? []
  if (!pins.every((id) => KEY_ID.test(id))) {
    throw new TypeError('--pin: expected key IDs of 43 characters')
  }
  const timeoutMs = parseWholeNumber('--timeout', values.timeout, TIMEOUT_SECONDS) * 1000
  const maxAge = values['max-mirror-age']
  const copies = {
    mirrors: values.mirror ?? [],
    maxMirrorAgeSeconds:
      maxAge === undefined ? Infinity : parseWholeNumber('--max-mirror-age', maxAge, AGE_SECONDS),
  }
  const source = createSource(url, pins, values['pin-from'], copies, timeoutMs)
  if (pins.length === 0 && values['pin-from'] === undefined) {
    process.stderr.write(
      'warning: no key is pinned; a copy of the service with its own key would pass (--pin ID)\n',
    )
  }
  const version = readVersion()
  const open = (): McpServer => {
    const created = createServer({ source, version, timeoutMs })
    // Messages that need no response, such as a response to no request.
    Object.assign(created.server, { onerror: report })
    return created
  }
  serveStdio(open, { transport: createStdioTransport(input, output), onerror: report })
}
