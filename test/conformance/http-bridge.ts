import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { serve } from '../support/loopback-server.ts'

/** Is in the metadata of every request of this revision. */
const CURRENT = '"io.modelcontextprotocol/protocolVersion":"2026-07-28"'

interface Message {
  readonly id?: string | number
  readonly method?: string
}

/** A server on standard input and output, with the requests that wait, by the ID that the bridge gave them. */
interface Bridged {
  readonly child: ChildProcessWithoutNullStreams
  readonly waiting: Map<number, { readonly id: Message['id']; readonly response: ServerResponse }>
}

/**
 * Serves a program that speaks MCP on standard input and output through Streamable HTTP, as the conformance suite needs it:
 * one process for each session of the 2025 revisions, and one for all requests of the current one. A request that is of neither has
 * a process of its own, because the first message decides which revision a process speaks. Returns the URL.
 */
export async function serveStdioServer(
  t: TestContext,
  command: readonly string[],
): Promise<string> {
  const sessions = new Map<string, Bridged>()
  const [program = '', ...args] = command
  let count = 0
  let current: Bridged | undefined

  const start = (): Bridged => {
    const child = spawn(program, args, { stdio: 'pipe' })
    const waiting: Bridged['waiting'] = new Map()
    t.after(() => child.kill('SIGKILL'))
    child.stderr.resume()
    createInterface(child.stdout).on('line', (line) => {
      const message = JSON.parse(line) as { readonly id: number }
      const { id, response } = waiting.get(message.id) ?? {}
      waiting.delete(message.id)
      response?.writeHead(200, { 'content-type': 'application/json' })
      response?.end(JSON.stringify({ ...message, id }))
    })
    return { child, waiting }
  }

  const pass = (bridged: Bridged, message: Message, response: ServerResponse): void => {
    const { id, method } = message
    const isRequest = id !== undefined && method !== undefined
    // Requests of several clients have the same IDs.
    if (isRequest) bridged.waiting.set((count += 1), { id, response })
    else response.writeHead(202).end()
    bridged.child.stdin.write(
      `${JSON.stringify(isRequest ? { ...message, id: count } : message)}\n`,
    )
  }

  const origin = await serve(t, (request, response) => {
    const session = request.headers['mcp-session-id']?.toString() ?? ''
    if (request.method === 'DELETE') {
      sessions.get(session)?.child.stdin.end()
      return void response.writeHead(sessions.delete(session) ? 200 : 404).end()
    }
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const receive = async (): Promise<void> => {
      const message = (await json(request)) as Message
      const found = sessions.get(session)
      if (found !== undefined) return pass(found, message, response)
      if (session !== '') return void response.writeHead(404).end()
      if (JSON.stringify(message).includes(CURRENT)) {
        return pass((current ??= start()), message, response)
      }
      const started = start()
      if (message.method === 'initialize') {
        const id = randomUUID()
        sessions.set(id, started)
        response.setHeader('mcp-session-id', id)
      } else {
        response.once('close', () => started.child.stdin.end())
      }
      pass(started, message, response)
    }
    receive().catch(() => response.destroy())
  })
  return `${origin}/mcp`
}
