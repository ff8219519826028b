import path from 'node:path'
import { PassThrough } from 'node:stream'
import { Client, type Transport } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { parseServerArgs, startMcpServer } from '../src/start-server.ts'
import { createStdioTransport } from '../src/stdio-transport.ts'

/** What a tool returned. */
export interface CalledTool {
  readonly isError: boolean
  readonly text: string
}

/** A connection of the SDK's own client to a server. */
export interface ConnectedClient {
  readonly instructions: string
  /** The revision of the protocol that both sides chose. */
  readonly protocol: string | undefined
  /** The tools as listed. */
  readonly tools: readonly object[]
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<CalledTool>
  close(): Promise<void>
}

const MAIN = path.join(import.meta.dirname, '..', 'src', 'main.ts')

/** A server in this process. */
function connectHere(args: readonly string[]): Transport {
  const [input, output] = [new PassThrough(), new PassThrough()]
  startMcpServer(parseServerArgs(args), input, output)
  return createStdioTransport(output, input)
}

/** A server in its own process, with these variables. */
function connectProcess(args: readonly string[], added: NodeJS.Dict<string>): Transport {
  const { NODE_COMPILE_CACHE } = process.env
  const given = { ...getDefaultEnvironment(), NODE_COMPILE_CACHE, ...added }
  const env = Object.fromEntries(
    Object.entries(given).filter((each): each is [string, string] => each[1] !== undefined),
  )
  const command = process.execPath
  return new StdioClientTransport({ command, args: [MAIN, ...args], env, stderr: 'ignore' })
}

/** On a busy machine, a server can take longer to start than the client's default timeout of a minute. */
const START_TIMEOUT_MS = 600_000

/**
 * Connects to a new server of these arguments, in its own process if it gets variables, with the revision 2026-07-28 of
 * the protocol alone or with those before it. Here, because the SDK is installed in this package alone.
 */
export async function connectClient(
  args: readonly string[],
  variables: NodeJS.Dict<string> | undefined,
  era: 'legacy' | 'modern' = 'modern',
): Promise<ConnectedClient> {
  const mode = era === 'legacy' ? era : { pin: '2026-07-28' }
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(
    variables === undefined ? connectHere(args) : connectProcess(args, variables),
    { timeout: START_TIMEOUT_MS },
  )
  const { tools } = await client.listTools()
  return {
    instructions: client.getInstructions() ?? '',
    protocol: client.getNegotiatedProtocolVersion(),
    tools,
    async call(name, given = {}) {
      const result = await client.callTool({ name, arguments: given })
      const { isError = false, content } = result
      const [first] = content as readonly { readonly text?: string }[]
      return { isError, text: first?.text ?? '' }
    },
    close: () => client.close(),
  }
}
