import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { runOnMachine } from './test/support/documented-machine.ts'
test('walk', async (t) => {
  const { output } = await runOnMachine(t, readFileSync(process.env.WALK ?? '', 'utf8'))
  console.log(output)
})
