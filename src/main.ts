import { run } from './process/run.ts'

process.exitCode = await run(process.env, process.cwd())
