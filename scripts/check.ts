import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from '@public-api/cli-kit/command'
import { runSteps, type CheckStep, type StepResult } from './check-runner.ts'
import { runScript } from './script-main.ts'

const ROOT_DIR = fileURLToPath(new URL('..', import.meta.url))
const BIN_DIR = path.join(ROOT_DIR, 'node_modules', '.bin')

/** Runs an installed program in the root of the repository; it passes if the exit code is 0. */
function program(name: string, args: readonly string[]): () => Promise<StepResult> {
  return () =>
    new Promise((resolve, reject) => {
      const child = spawn(path.join(BIN_DIR, name), args, {
        cwd: ROOT_DIR,
        // The programs are scripts for `node`: the installed one comes first.
        env: {
          ...process.env,
          PATH: `${BIN_DIR}${path.delimiter}${process.env['PATH'] ?? ''}`,
          ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const chunks: Buffer[] = []
      child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
      child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
      child.once('error', reject)
      child.once('close', (code, signal) => {
        const output = Buffer.concat(chunks).toString('utf8')
        const passed = code === 0
        const cause = signal === null ? '' : `\n${name} was ended by ${signal}`
        resolve({ passed, output: `${output}${passed ? '' : cause}` })
      })
    })
}

/** Projects of TypeScript. All but the first have packages of their own, which may not be installed. */
const PROJECTS = ['.', 'packages/mcp', 'bench']

async function checkTypes(): Promise<StepResult> {
  const results: StepResult[] = []
  for (const project of PROJECTS) {
    if (!existsSync(path.join(ROOT_DIR, project, 'node_modules'))) continue
    results.push(await program('tsc', ['-p', project])())
  }
  return {
    passed: results.every(({ passed }) => passed),
    output: results.map(({ output }) => output).join(''),
  }
}

/** A step that passes if it finds nothing. */
function findings(find: () => Promise<readonly string[]>): () => Promise<StepResult> {
  return async () => {
    const lines = await find()
    return { passed: lines.length === 0, output: lines.join('\n') }
  }
}

async function findGeneratedLines(): Promise<readonly string[]> {
  const { findAssetDrift, findDrift } = await import('./generate.ts')
  return [...findDrift(ROOT_DIR), ...(await findAssetDrift(ROOT_DIR))]
}

async function findLocaleLines(): Promise<readonly string[]> {
  const { localeFaults, readLocaleFiles } = await import('./check-locales.ts')
  return localeFaults(readLocaleFiles(ROOT_DIR))
}

async function findReleaseLines(): Promise<readonly string[]> {
  const { checkRelease } = await import('./check-release.ts')
  const { openReleaseStore } = await import('../src/releases/release-store.ts')
  const { REGISTRY_VERSION } = await import('@public-api/contract/terms/api-version')
  const found = await checkRelease({
    contentDir: path.join(ROOT_DIR, 'content'),
    store: openReleaseStore(path.join(ROOT_DIR, 'releases')),
    nowMs: Date.now(),
    registryVersion: REGISTRY_VERSION,
    publishCommand: 'npm run svc -- publish --note TEXT',
  })
  return found.map(({ where, message }) => `${path.relative(ROOT_DIR, where) || where}: ${message}`)
}

/** Every step, slowest first, so that two processors finish at about the same time. */
const STEPS: readonly CheckStep[] = [
  {
    name: 'lint',
    purpose: 'oxlint passes (type-aware)',
    run: program('oxlint', ['--type-aware', '--deny-warnings']),
  },
  {
    name: 'types',
    purpose: 'tsc passes, for packages/mcp and bench where their packages are installed',
    run: checkTypes,
  },
  {
    name: 'unused',
    purpose: 'every file, export and dependency is used',
    run: program('knip', ['--no-progress']),
  },
  {
    name: 'format',
    purpose: 'every file is formatted by oxfmt',
    run: program('oxfmt', ['--check']),
  },
  {
    name: 'release',
    purpose: 'the content is published, and the releases are valid',
    run: findings(findReleaseLines),
  },
  {
    name: 'generated',
    purpose: 'docs/api matches the tables, and assets matches src/browser',
    run: findings(findGeneratedLines),
  },
  {
    name: 'vectors',
    purpose: 'test/vectors matches the responses of the app',
    run: findings(async () => (await import('./write-vectors.ts')).findVectorDrift()),
  },
  {
    name: 'locales',
    purpose: 'every locale is complete, and no translation is older than its English',
    run: findings(findLocaleLines),
  },
  {
    name: 'language',
    purpose: 'code and documents avoid the phrases of check-language.ts',
    run: findings(async () => (await import('./check-language.ts')).findLanguageFaults(ROOT_DIR)),
  },
  {
    name: 'layers',
    purpose:
      'every import is allowed, every permission in layers.ts is used, and rules have one home',
    run: findings(async () => (await import('./layers.ts')).layerLines(ROOT_DIR)),
  },
  {
    name: 'contract',
    purpose: 'no change since docs/api/baseline.json breaks a promise',
    run: findings(
      async () => (await import('./contract-check.ts')).checkOwnContract(ROOT_DIR).faults,
    ),
  },
]

const HELP = `Usage: npm run check [-- <step>...]

Checks the repository. Without a step it runs all of them:
${STEPS.map(({ name, purpose }) => `  ${name.padEnd(10)} ${purpose}`).join('\n')}

Exit code: 0 every step passed, 1 a step failed, 2 wrong usage.
`

await runScript(import.meta, {
  help: HELP,
  takesArguments: true,
  async run({ positionals: names }) {
    const unknown = names.filter((name) => !STEPS.some((step) => step.name === name))
    if (unknown.length > 0) {
      const known = STEPS.map((step) => step.name).join(', ')
      throw new UsageError(`there is no step ${unknown.join(', ')}; expected ${known}`)
    }
    const failed = await runSteps(
      names.length === 0 ? STEPS : STEPS.filter(({ name }) => names.includes(name)),
      {
        concurrency: availableParallelism(),
        write: (text) => process.stdout.write(text),
        nowMs: () => performance.now(),
      },
    )
    return failed.length === 0 ? 0 : 1
  },
})
