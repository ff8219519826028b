import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  getDefaultEnvironment,
  StdioClientTransport,
} from '@modelcontextprotocol/sdk/client/stdio.js'

/** What a tool returned. */
export interface CalledTool {
  readonly isError: boolean
  readonly text: string
}

/** A connection of the SDK's own client to a server that it started. */
export interface ConnectedClient {
  readonly instructions: string
  /** The tools as listed, with whether each is said to read only. */
  readonly tools: readonly { readonly name: string; readonly isReadOnly: boolean }[]
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<CalledTool>
  close(): Promise<void>
}

/** Starts a server of these arguments and connects to it. Here, because the SDK is installed in this package alone. */
export async function connectClient(
  command: string,
  args: readonly string[],
  added: Readonly<Record<string, string>> = {},
): Promise<ConnectedClient> {
  const client = new Client({ name: 'test', version: '1.0.0' })
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
    tools: tools.map(({ name, annotations }) => ({
      name,
      isReadOnly: annotations?.readOnlyHint === true && annotations.destructiveHint === false,
    })),
    async call(name, given = {}) {
      const { isError = false, content } = await client.callTool({ name, arguments: given })
      const [first] = content as readonly { readonly text?: string }[]
      return { isError: isError === true, text: first?.text ?? '' }
    },
    close: () => client.close(),
  }
}
