#!/usr/bin/env node
import { formatErrorLine } from '@public-api/cli-kit/error-line'
import { parseServerArgs, readVersion, report, startMcpServer } from './start-server.ts'

const HELP = `Usage: public-api-mcp URL [--pin ID]... [--pin-from SOURCE] [--mirror URL]...
                      [--max-mirror-age SECONDS] [--timeout SECONDS]

A Model Context Protocol server on standard input and output. It reads the API at URL and returns only what it verified.

  --pin ID           ID of a key to trust; may be repeated
  --pin-from SOURCE  reads the IDs from dns:HOST or the https:// URL of a JSON file of another site
  --mirror URL       a copy to read while the service is away; may be repeated
  --max-mirror-age SECONDS
                     refuses older copies (default: any age)
  --timeout SECONDS  limit for one call of a tool (default: 50, because many clients end a call after 60)
  --version          the version of this program
  --help             this text

Exit code: 0 the client closed the connection, 1 standard input or output failed, 2 wrong usage.
`

/** From the end of the input to the end of the program. */
const EXIT_AFTER_MS = 1000

/** Ends the process when what it writes has no reader. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    process.stderr.write(
      `${formatErrorLine(`standard output: could not be written (${error.message})`)}\n`,
    )
    process.exit(1)
  })
  process.stderr.on('error', () => {})
}

function main(): void {
  endWithReader()
  const parsed = parseServerArgs(process.argv.slice(2))
  if (parsed.values.help) return void process.stdout.write(HELP)
  if (parsed.values.version) return void process.stdout.write(`${readVersion()}\n`)
  startMcpServer(parsed, process.stdin, process.stdout)
  // Pending requests of a closed connection have no reader. Responses that are ready still leave.
  const end = (): void => void setTimeout(() => process.exit(), EXIT_AFTER_MS).unref()
  process.stdin.once('end', end)
  process.stdin.once('error', (error) => {
    report(error)
    process.exitCode = 1
    end()
  })
}

try {
  main()
} catch (error) {
  process.stderr.write(`${formatErrorLine((error as Error).message, 'public-api-mcp')}\n`)
  process.exitCode = 2
}
