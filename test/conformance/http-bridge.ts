import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { serve } from '../support/loopback-server.ts'

interface Message {
  readonly id?: string | number
  readonly method?: string
}

/** A server on standard input and output, with the responses that are waited for. */
interface Bridged {
  readonly child: ChildProcessWithoutNullStreams
  readonly waiting: Map<unknown, ServerResponse>
}

/**
 * Serves a program that speaks MCP on standard input and output through Streamable HTTP, as the conformance suite needs it:
 * one process for each session of the 2025 revisions, and one for each request without a session. Returns the URL.
 */
export async function serveStdioServer(
  t: TestContext,
  command: readonly string[],
): Promise<string> {
  const sessions = new Map<string, Bridged>()
  const [program = '', ...args] = command

  const start = (): Bridged => {
    const child = spawn(program, args, { stdio: 'pipe' })
    const waiting = new Map<unknown, ServerResponse>()
    t.after(() => child.kill('SIGKILL'))
    child.stderr.resume()
    createInterface(child.stdout).on('line', (line) => {
      const { id } = JSON.parse(line) as Message
      waiting.get(id)?.writeHead(200, { 'content-type': 'application/json' }).end(line)
      waiting.delete(id)
    })
    return { child, waiting }
  }

  const pass = (bridged: Bridged, message: Message, response: ServerResponse): void => {
    if (message.id === undefined || message.method === undefined) response.writeHead(202).end()
    else bridged.waiting.set(message.id, response)
    bridged.child.stdin.write(`${JSON.stringify(message)}\n`)
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
