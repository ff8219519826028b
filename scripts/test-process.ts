import asyncHooks from 'node:async_hooks'
import { parseArgs } from 'node:util'

// One process of a whole run: node scripts/test-process.ts --timeout MS [--name REGEX] FILE...
// Like `node --test --test-isolation=none`, without the promise hooks of node:test. They find the test that an
// uncaught error belongs to, and take a fifth of the processor time. Without them such an error fails the run as
// well, and a run of its file names the test.
const { createHook } = asyncHooks
asyncHooks.createHook = (options) => createHook({ ...options, trackPromises: false })

const { run } = await import('node:test')
const { spec } = await import('node:test/reporters')

const { values, positionals } = parseArgs({
  options: { timeout: { type: 'string' }, name: { type: 'string' } },
  allowPositionals: true,
})
const tests = run({
  files: positionals,
  isolation: 'none',
  timeout: Number(values.timeout),
  ...(values.name === undefined ? {} : { testNamePatterns: [values.name] }),
})
tests.on('test:fail', () => {
  process.exitCode = 1
})
tests.compose(spec).pipe(process.stdout)
