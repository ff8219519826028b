import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Enabled before the other modules load, so that the next start finds them compiled. The cache is in the checkout and
// not in the temporary folder, where other users could plant code that runs with the signing key. Without a writable
// folder the start is only slower.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/svc', import.meta.url)))

const { run } = await import('./process/run.ts')
process.exitCode = await run(process.env, process.cwd())
