import type { Readable, Writable } from 'node:stream'
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server'

/** The largest valid line is a `verify_response` whose body of 4,000,000 characters is escaped, at 6 bytes each. */
const MAX_LINE_BYTES = 32 * 2 ** 20
const LINE_FEED = 0x0a

/** Why a line is not a message, as the `error` of a JSON-RPC 2.0 response. */
class MessageFault extends Error {
  readonly code: number
  readonly id: unknown

  /** `id` is that of the refused request, if it has a valid one. */
  constructor(code: number, message: string, id?: unknown) {
    super(message)
    this.name = 'MessageFault'
    this.code = code
    this.id = id
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true })

/** Reads one line. A byte order mark before it is ignored (RFC 8259, section 8.1). Throws a MessageFault. */
function parseLine(line: Buffer): JSONRPCMessage | undefined {
  let value: unknown
  try {
    const text = UTF_8.decode(line)
    if (text.trim() === '') return undefined
    value = JSON.parse(text)
  } catch (error) {
    const found = error instanceof SyntaxError ? 'JSON' : 'UTF-8'
    throw new MessageFault(PARSE_ERROR, `expected one JSON text a line; this line is not ${found}`)
  }
  if (Array.isArray(value)) {
    throw new MessageFault(INVALID_REQUEST, 'batches are not supported; send one message a line')
  }
  try {
    return parseJSONRPCMessage(value)
  } catch {
    const { jsonrpc, id, method } = Object(value) as {
      readonly [name in 'jsonrpc' | 'id' | 'method']?: unknown
    }
    if (id === undefined || typeof id === 'string' || Number.isSafeInteger(id)) {
      if (jsonrpc === '2.0' && id !== undefined && typeof method === 'string') {
        throw new MessageFault(INVALID_PARAMS, 'params: expected an object with valid metadata', id)
      }
      throw new MessageFault(INVALID_REQUEST, 'expected a message of JSON-RPC 2.0', id)
    }
    // Parsed, a larger number is another number, so the response would not match the request.
    throw new MessageFault(
      INVALID_REQUEST,
      'id: expected a string, or an integer from -(2^53 - 1) to 2^53 - 1',
    )
  }
}

/** Whether a text is the SDK's list of what is wrong, and all of it concerns the parameters. */
function isAboutParameters(text: string): boolean {
  try {
    const issues = JSON.parse(text) as readonly { readonly path: readonly unknown[] }[]
    return issues.every(({ path: [first] }) => first === 'params')
  } catch {
    return false
  }
}

/** Corrects the code of parameters that do not fit the SDK's schemas, which it reports as an internal error. */
function correctCode(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== INTERNAL_ERROR) return message
  if (!isAboutParameters(message.error.message)) return message
  return { ...message, error: { ...message.error, code: INVALID_PARAMS } }
}

/**
 * The transport on standard input and output, one message a line. The SDK's own drops lines that it cannot read, and ends
 * at a long one; this one answers each of them with an error, and continues.
 */
export function createStdioTransport(input: Readable, output: Writable): Transport {
  let parts: Buffer[] = []
  let length = 0

  const receive = (line: Buffer): void => {
    try {
      const message = parseLine(line)
      if (message !== undefined) transport.onmessage?.(message)
    } catch (error) {
      if (!(error instanceof MessageFault)) throw error
      answer(error)
    }
  }

  /** Without `id` where none could be read: the schema of the protocol has no null there. */
  const answer = ({ code, message, id }: MessageFault): void => {
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`)
  }

  const keep = (part: Buffer): void => {
    if (length <= MAX_LINE_BYTES && length + part.length > MAX_LINE_BYTES) {
      answer(new MessageFault(INVALID_REQUEST, `expected lines of at most ${MAX_LINE_BYTES} bytes`))
    }
    length += part.length
    // The rest of a line that is too long is skipped.
    if (length > MAX_LINE_BYTES) parts = []
    else parts.push(part)
  }

  const endLine = (): void => {
    if (length <= MAX_LINE_BYTES) receive(Buffer.concat(parts))
    parts = []
    length = 0
  }

  const transport: Transport = {
    start() {
      input.on('data', (chunk: Buffer) => {
        let start = 0
        for (let end; (end = chunk.indexOf(LINE_FEED, start)) !== -1; start = end + 1) {
          keep(chunk.subarray(start, end))
          endLine()
        }
        keep(chunk.subarray(start))
      })
      // The last line may have no end.
      input.once('end', endLine)
      return Promise.resolve()
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        output.write(`${JSON.stringify(correctCode(message))}\n`, (error) =>
          error instanceof Error ? reject(error) : resolve(),
        )
      }),
    close() {
      input.pause()
      transport.onclose?.()
      return Promise.resolve()
    },
  }
  return transport
}
