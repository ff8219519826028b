import { enableCompileCache } from 'node:module'

// Before the rest is loaded: the next start finds the source stripped and compiled.
enableCompileCache()

const { run } = await import('./run.ts')
process.exitCode = await run(process.env, process.cwd())
