import { existsSync } from 'node:fs'
import path from 'node:path'
import type { TestScope } from './test-scope.ts'

const FOLDER = path.resolve('packages/mcp')

/** Why no server for agents can be started; undefined if one can. Fits as `{ skip }` of a test. */
export const mcpMissing = existsSync(path.join(FOLDER, 'node_modules'))
  ? undefined
  : 'packages/mcp is not installed; run npm ci --prefix packages/mcp --ignore-scripts'

/** What a tool returned. */
export interface CalledTool {
  readonly isError: boolean
  readonly text: string
}

/** A tool as it is listed. */
interface ListedTool {
  readonly name: string
  readonly annotations: object
  readonly inputSchema: object
}

/** The revisions of the protocol: 2026-07-28, and those that begin with `initialize`. */
type Era = 'legacy' | 'modern'

interface Connected {
  readonly instructions: string
  readonly protocol: string
  readonly tools: readonly ListedTool[]
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<CalledTool>
  close(): Promise<void>
}

/** The SDK's client, connected to a server for this origin: in this process, or in its own if it gets variables. */
export async function connectTools(
  t: TestScope,
  origin: string,
  args: readonly string[] = [],
  { variables, era }: { readonly variables?: NodeJS.Dict<string>; readonly era?: Era } = {},
): Promise<Connected> {
  const helper = path.join(FOLDER, 'test', 'connect-client.ts')
  const { connectClient } = (await import(helper)) as {
    connectClient(
      args: readonly string[],
      variables: NodeJS.Dict<string> | undefined,
      era?: Era,
    ): Promise<Connected>
  }
  const client = await connectClient([origin, ...args], variables, era)
  t.after(() => client.close())
  return client
}
