// For `node --import`: ends the process with SIGKILL before the step that KILL_AT_STEP names; with 0, it says at the end how
// many steps there were. A step is a change of the file system or a request.

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const killAt = Number(process.env['KILL_AT_STEP'])
let steps = 0
if (killAt === 0) process.on('exit', () => process.stderr.write(`${steps} steps\n`))

function beginStep(): void {
  steps += 1
  if (steps === killAt) process.kill(process.pid, 'SIGKILL')
}

const CHANGES = ['linkSync', 'renameSync', 'rmSync', 'writeFileSync', 'fsyncSync'] as const
for (const name of CHANGES) {
  const original = fs[name] as (...args: readonly unknown[]) => unknown
  Object.assign(fs, {
    [name](...args: readonly unknown[]): unknown {
      beginStep()
      return original(...args)
    },
  })
}
syncBuiltinESMExports()

const { fetch: originalFetch } = globalThis
globalThis.fetch = (...args) => {
  beginStep()
  return originalFetch(...args)
}
