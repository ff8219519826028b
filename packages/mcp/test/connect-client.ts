import { Client } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/** What a tool returned. */
export interface CalledTool {
  readonly isError: boolean
  readonly text: string
  readonly structured: unknown
}

/** A connection of the SDK's own client to a server that it started. */
export interface ConnectedClient {
  readonly instructions: string
  /** The revision of the protocol that both sides chose. */
  readonly protocol: string | undefined
  /** The tools as listed. */
  readonly tools: readonly object[]
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<CalledTool>
  close(): Promise<void>
}

/**
 * Starts a server of these arguments and connects to it, with the revision 2026-07-28 of the protocol alone or with those
 * before it. Here, because the SDK is installed in this package alone.
 */
export async function connectClient(
  command: string,
  args: readonly string[],
  added: Readonly<Record<string, string>> = {},
  era: 'legacy' | 'modern' = 'modern',
): Promise<ConnectedClient> {
  const mode = era === 'legacy' ? era : { pin: '2026-07-28' }
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const { NODE_COMPILE_CACHE } = process.env
  const env = {
    ...getDefaultEnvironment(),
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
    ...added,
  }
  await client.connect(
    new StdioClientTransport({ command, args: [...args], env, stderr: 'ignore' }),
  )
  const { tools } = await client.listTools()
  return {
    instructions: client.getInstructions() ?? '',
    protocol: client.getNegotiatedProtocolVersion(),
    tools,
    async call(name, given = {}) {
      const result = await client.callTool({ name, arguments: given })
      const { isError = false, content, structuredContent: structured } = result
      const [first] = content as readonly { readonly text?: string }[]
      return { isError, text: first?.text ?? '', structured }
    },
    close: () => client.close(),
  }
}
