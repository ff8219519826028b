import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Before the rest is loaded: the next start finds the source stripped and compiled. In the checkout, since what is
// found there runs in the process that holds the signing key, and anyone may write to the folder for temporary files.
// Where the folder cannot be made, the start takes longer and nothing else happens.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/svc', import.meta.url)))

const { run } = await import('./process/run.ts')
process.exitCode = await run(process.env, process.cwd())
