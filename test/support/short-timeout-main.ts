import { run } from '../../src/process/run.ts'

// The program with the times of a stop as arguments, so that a test need not wait for ten seconds.
const [graceMs = 0, killAfterMs = 0] = process.argv.slice(2).map(Number)
process.exitCode = await run(process.env, process.cwd(), { graceMs, killAfterMs })
