import { runOpenIssuing } from './open-issuing.ts'

// As in the program: a write fails once its reader is gone.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

process.exitCode = await runOpenIssuing(process.argv.slice(2), {
  out: (line: string) => process.stdout.write(`${line}\n`),
  error: (line: string) => process.stderr.write(`${line}\n`),
})
