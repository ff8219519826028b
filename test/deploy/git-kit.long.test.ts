import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { parse } from 'yaml'
import { temporaryFolder } from '../support/temporary-folder.ts'

const CHECKOUT = process.cwd()
const GIT_ENV = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A Person',
  GIT_AUTHOR_EMAIL: 'person@example.org',
  GIT_COMMITTER_NAME: 'A Person',
  GIT_COMMITTER_EMAIL: 'person@example.org',
}

interface Outcome {
  readonly status: number | null
  readonly output: string
}

function run(folder: string, command: readonly string[], env: NodeJS.ProcessEnv = {}): Outcome {
  const [program = '', ...args] = command
  const options = { cwd: folder, env: { ...GIT_ENV, ...env }, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(program, args, options)
  return { status, output: `${stdout}${stderr}` }
}

function git(folder: string, ...args: readonly string[]): string {
  const { status, output } = run(folder, ['git', ...args])
  assert.equal(status, 0, `git ${args.join(' ')}: ${output}`)
  return output.trim()
}

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly if?: string
  readonly env?: { readonly [name: string]: string }
  readonly with?: { readonly [name: string]: string }
}

interface Workflow {
  readonly on: {
    readonly workflow_dispatch: {
      readonly inputs: { readonly [name: string]: { readonly default?: string } }
    }
  }
  readonly env: { readonly [name: string]: string }
  readonly jobs: {
    readonly [name: string]: { readonly if: string; readonly steps: readonly Step[] }
  }
}

interface GitlabJob {
  readonly script: readonly string[]
}

/** What triggers a workflow, and what a person typed into its form. */
interface Trigger {
  readonly event: 'pull_request' | 'push' | 'workflow_dispatch'
  readonly inputs?: { readonly [name: string]: string }
}

/** The condition of a job or a step. */
function holds(condition: string | undefined, event: string): boolean {
  if (condition === undefined) return true
  const [, operator, name] = /^github\.event_name (==|!=) '(\w+)'$/.exec(condition) ?? []
  assert.ok(operator !== undefined, condition)
  return (name === event) === (operator === '==')
}

/** A fresh checkout, as the forge makes one, with svc as the installation step leaves it. */
function checkOut(t: TestContext, origin: string, ref: string): string {
  const folder = path.join(temporaryFolder(t), 'checkout')
  git(path.dirname(folder), 'clone', '--quiet', '--branch', ref, origin, folder)
  symlinkSync(CHECKOUT, path.join(folder, '.public-api'))
  return folder
}

/** Runs the steps of a workflow of GitHub or Forgejo, apart from the installation. */
function runWorkflow(
  t: TestContext,
  file: string,
  checkout: string,
  { event, inputs = {} }: Trigger,
) {
  const { env, jobs, on } = parse(readFileSync(file, 'utf8')) as Workflow
  const defaults = event === 'workflow_dispatch' ? on.workflow_dispatch.inputs : {}
  const summary = path.join(temporaryFolder(t), 'summary.md')
  writeFileSync(summary, '')
  let output = ''
  let status: number | null = 0
  for (const job of Object.values(jobs).filter((each) => holds(each.if, event))) {
    for (const step of job.steps.filter((each) => holds(each.if, event))) {
      if (status !== 0 || step.run === undefined || step.name === 'Install svc') continue
      const variables = Object.entries(step.env ?? {}).map(([name, value]) => {
        const [, input] = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value) ?? []
        assert.ok(input !== undefined, value)
        return [name, inputs[input] ?? defaults[input]?.default ?? '']
      })
      const done = run(checkout, ['bash', '-e', '-c', step.run], {
        ...env,
        GITHUB_STEP_SUMMARY: summary,
        ...Object.fromEntries(variables),
      })
      ;({ status } = done)
      output += done.output
    }
  }
  return { status, output, summary: readFileSync(summary, 'utf8') }
}

/** Runs a job of GitLab, apart from the installation and the commands that only choose the remote. */
function runGitlab(checkout: string, { event, inputs = {} }: Trigger) {
  const file = parse(readFileSync('deploy/git/gitlab/.gitlab-ci.yml', 'utf8')) as {
    readonly variables: { readonly [name: string]: string }
    readonly check: GitlabJob
    readonly publish: GitlabJob
  }
  const job = event === 'pull_request' ? file.check : file.publish
  const script = job.script.filter((line) => !line.startsWith('git remote set-url'))
  const variables = Object.entries(inputs).map(([name, value]) => [name.toUpperCase(), value])
  const env = { ...file.variables, ...Object.fromEntries(variables) }
  return { ...run(checkout, ['bash', '-e', '-c', script.join('\n')], env), summary: '' }
}

const FORGES = ['github', 'forgejo', 'gitlab'] as const

function trigger(t: TestContext, forge: (typeof FORGES)[number], checkout: string, cause: Trigger) {
  return forge === 'gitlab'
    ? runGitlab(checkout, cause)
    : runWorkflow(t, `deploy/git/${forge}/publish.yml`, checkout, cause)
}

/** A bare repository with content and no releases, a person's clone, and the clone of the server. */
function makeRepositories(t: TestContext) {
  const folder = temporaryFolder(t)
  const origin = path.join(folder, 'origin.git')
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', origin)
  const person = path.join(folder, 'person')
  git(folder, 'clone', '--quiet', origin, person)
  git(person, 'checkout', '--quiet', '-B', 'main')
  cpSync('content', path.join(person, 'content'), { recursive: true })
  mkdirSync(path.join(person, 'releases'))
  writeFileSync(path.join(person, 'releases', '.gitkeep'), '')
  writeFileSync(path.join(person, '.gitignore'), '.public-api\n')
  git(person, 'add', '--all')
  git(person, 'commit', '--quiet', '--message', 'Write the first content')
  git(person, 'push', '--quiet', 'origin', 'main')
  const server = path.join(folder, 'server')
  git(folder, 'clone', '--quiet', origin, server)
  return { origin, person, server }
}

/** A change of the content on a branch, pushed. */
function propose(person: string, branch: string, from: RegExp, to: string): void {
  git(person, 'fetch', '--quiet', 'origin')
  git(person, 'checkout', '--quiet', '-B', branch, 'origin/main')
  const file = path.join(person, 'content', 'status.yaml')
  const text = readFileSync(file, 'utf8')
  assert.match(text, from)
  writeFileSync(file, text.replace(from, to))
  git(person, 'commit', '--quiet', '--all', '--message', `Change the status: ${branch}`)
  git(person, 'push', '--quiet', '--force', 'origin', branch)
}

function merge(person: string, branch: string): void {
  git(person, 'checkout', '--quiet', '-B', 'main', 'origin/main')
  git(person, 'merge', '--quiet', '--ff-only', branch)
  git(person, 'push', '--quiet', 'origin', 'main')
}

const versionsOf = (server: string) => readdirSync(path.join(server, 'releases', 'versions'))
const pull = (server: string) => run('/', [path.join(CHECKOUT, 'deploy/git/pull.sh'), server])

for (const forge of FORGES) {
  test(`${forge}: a review checks, a merge publishes, and the server takes it up`, (t) => {
    const { origin, person, server } = makeRepositories(t)
    const first = trigger(t, forge, checkOut(t, origin, 'main'), { event: 'push' })
    assert.equal(first.status, 0, first.output)
    assert.match(first.output, /Published VS-0001/)
    assert.equal(pull(server).output, '')
    assert.deepEqual(versionsOf(server), ['VS-0001.json'])

    propose(person, 'better', /^summary: .*$/m, 'summary: The new words of a review.')
    const review = trigger(t, forge, checkOut(t, origin, 'better'), { event: 'pull_request' })
    assert.equal(review.status, 0, review.output)
    assert.match(review.output, /The new words of a review\./)
    if (forge !== 'gitlab') assert.match(review.summary, /^ {4}.*The new words of a review\./m)

    propose(person, 'broken', /^summary: .*$/m, 'summary: 5')
    const refused = trigger(t, forge, checkOut(t, origin, 'broken'), { event: 'pull_request' })
    assert.equal(refused.status, 1, refused.output)
    assert.match(refused.output, /status\.yaml:\d+:\d+/)

    merge(person, 'better')
    const merged = trigger(t, forge, checkOut(t, origin, 'main'), { event: 'push' })
    assert.equal(merged.status, 0, merged.output)
    assert.equal(pull(server).status, 0)
    assert.deepEqual(versionsOf(server), ['VS-0001.json', 'VS-0002.json'])
    assert.match(git(server, 'log', '-1', '--format=%s'), /^Publish VS-0002$/)

    const again = trigger(t, forge, checkOut(t, origin, 'main'), { event: 'push' })
    assert.equal(again.status, 0, again.output)
    assert.match(again.output, /Nothing to commit\./)
  })
}

for (const forge of FORGES) {
  test(`${forge}: a form takes what a template has, and reopens in a state`, (t) => {
    const { origin, person } = makeRepositories(t)
    const template = `kind: incident
title: Storage full
text: Reads fail.
summary: Reads fail.
impact: major
components: { read-api: partial_outage }
`
    mkdirSync(path.join(person, 'content', 'templates'))
    writeFileSync(path.join(person, 'content', 'templates', 'storage.yaml'), template)
    git(person, 'add', '--all')
    git(person, 'commit', '--quiet', '--message', 'Add a template')
    git(person, 'push', '--quiet', 'origin', 'main')
    const dispatch = (inputs: Readonly<Record<string, string>>) => {
      const checkout = checkOut(t, origin, 'main')
      const done = trigger(t, forge, checkout, { event: 'workflow_dispatch', inputs })
      assert.equal(done.status, 0, done.output)
      return readFileSync(path.join(checkout, 'content', 'status.yaml'), 'utf8')
    }
    const [, id = '', impact] =
      /id: (storage-full\S*)\n(?:.*\n){2} +impact: (\w+)/.exec(
        dispatch({ action: 'open', template: 'storage' }),
      ) ?? []
    assert.equal(impact, 'major')
    dispatch({ action: 'resolve', id, text: 'Over.' })
    const again = { text: 'Again.', summary: 'Reads fail again.', components: 'read-api=degraded' }
    const reopened = dispatch({ action: 'reopen', id, state: 'identified', ...again })
    assert.match(reopened, /state: identified\n +text: Again\./)
  })

  test(`${forge}: a form opens and resolves an incident`, (t) => {
    const { origin, server } = makeRepositories(t)
    const dispatch = (inputs: Readonly<Record<string, string>>) =>
      trigger(t, forge, checkOut(t, origin, 'main'), { event: 'workflow_dispatch', inputs })
    // What a person typed is never run by a shell.
    const text = 'Reads fail; $(touch injected) `touch injected` "quoted" \'text\'.'
    const opened = dispatch({
      action: 'open',
      title: 'Slow reads',
      impact: 'minor',
      components: 'read-api=degraded',
      summary: 'Reads are slow.',
      text,
    })
    assert.equal(opened.status, 0, opened.output)
    assert.equal(pull(server).status, 0)
    const status = readFileSync(path.join(server, 'content', 'status.yaml'), 'utf8')
    assert.match(status, /\$\(touch injected\)/)
    assert.ok(!existsSync(path.join(server, 'injected')))
    const [, id = ''] = /^ {2}- id: (\S*slow-reads\S*)$/m.exec(status) ?? []
    assert.notEqual(id, '', status)
    const summary = 'All systems operational.'
    const resolved = dispatch({ action: 'resolve', id, text: 'Reads are fast again.', summary })
    assert.equal(resolved.status, 0, resolved.output)
    assert.equal(pull(server).status, 0)
    assert.deepEqual(versionsOf(server), ['VS-0001.json', 'VS-0002.json'])
    assert.match(
      readFileSync(path.join(server, 'content', 'status.yaml'), 'utf8'),
      /state: resolved/,
    )
    const unknown = dispatch({ action: 'resolve', id: 'no-such-incident', text: 'Done.' })
    assert.notEqual(unknown.status, 0)
  })
}

test('publishes on top of a commit that arrived meanwhile', (t) => {
  const { origin, person, server } = makeRepositories(t)
  const late = checkOut(t, origin, 'main')
  writeFileSync(path.join(person, 'NOTES.md'), 'Notes\n')
  git(person, 'add', 'NOTES.md')
  git(person, 'commit', '--quiet', '--message', 'Add notes')
  git(person, 'push', '--quiet', 'origin', 'main')
  const { status, output } = trigger(t, 'github', late, { event: 'push' })
  assert.equal(status, 0, output)
  assert.match(output, /has a newer commit; publishing again on top of it \(attempt 1 of 3\)/)
  assert.equal(pull(server).status, 0)
  assert.deepEqual(versionsOf(server), ['VS-0001.json'])
  assert.equal(readFileSync(path.join(server, 'NOTES.md'), 'utf8'), 'Notes\n')
})

test('only the job that publishes has the secret by which it may push', () => {
  const secrets = {
    github: { 'ssh-key': '${{ secrets.PUBLISH_KEY }}' },
    forgejo: { token: '${{ secrets.PUBLISH_TOKEN || github.token }}' },
  }
  for (const [forge, secret] of Object.entries(secrets)) {
    const { jobs } = parse(readFileSync(`deploy/git/${forge}/publish.yml`, 'utf8')) as Workflow
    const [checks, publishes] = ['check', 'publish'].map((name) => jobs[name]?.steps[0]?.with)
    assert.deepEqual([checks, publishes], [undefined, { ref: 'refs/heads/main', ...secret }])
  }
})

test('the server says that the branch lacks what came to the server as a file', (t) => {
  const { origin, person, server } = makeRepositories(t)
  const bundle = path.join(temporaryFolder(t), 'main.bundle')
  git(person, 'commit', '--quiet', '--allow-empty', '--message', 'While the forge is down')
  git(person, 'bundle', 'create', '--quiet', bundle, 'main')
  git(server, 'pull', '--quiet', '--ff-only', bundle, 'main')
  const { status, output } = pull(server)
  assert.equal(status, 1)
  assert.match(output, /^error: main is behind this server: it does not contain [0-9a-f]{40}/)
  git(person, 'push', '--quiet', 'origin', 'main')
  assert.equal(pull(server).status, 0)
  assert.equal(git(server, 'rev-parse', 'HEAD'), git(origin, 'rev-parse', 'main'))
})

test('the server refuses a rewritten branch and changes nothing', (t) => {
  const { origin, person, server } = makeRepositories(t)
  trigger(t, 'github', checkOut(t, origin, 'main'), { event: 'push' })
  assert.equal(pull(server).status, 0)
  const before = git(server, 'rev-parse', 'HEAD')
  git(person, 'commit', '--quiet', '--amend', '--message', 'Rewritten')
  git(person, 'push', '--quiet', '--force', 'origin', 'main')
  const { status, output } = pull(server)
  assert.equal(status, 1)
  assert.match(output, /^error: main was rewritten: it does not contain [0-9a-f]{40}/)
  assert.equal(git(server, 'rev-parse', 'HEAD'), before)
  assert.deepEqual(versionsOf(server), ['VS-0001.json'])
})

test('the server refuses a link anywhere and a file that is not part of a release', (t) => {
  const { origin, person, server } = makeRepositories(t)
  trigger(t, 'github', checkOut(t, origin, 'main'), { event: 'push' })
  assert.equal(pull(server).status, 0)
  const before = git(server, 'rev-parse', 'HEAD')
  const refused: readonly (readonly [name: string, target?: string])[] = [
    ['releases/log/policy', '../../../secrets/signing-key.pem'],
    ['releases/cards', '/etc'],
    ['notes', '/etc/passwd'],
    ['releases/versions/key.pem'],
    ['releases/log/policy~'],
    ['releases/notes.0123456789ab.partial'],
    ['releases/versions/VS-0002.json\nx'],
  ]
  for (const [name, target] of refused) {
    git(person, 'fetch', '--quiet', 'origin')
    git(person, 'checkout', '--quiet', '-B', 'main', before)
    const file = path.join(person, name)
    rmSync(file, { recursive: true, force: true })
    mkdirSync(path.dirname(file), { recursive: true })
    if (target === undefined) writeFileSync(file, '')
    else symlinkSync(target, file)
    git(person, 'add', '--all')
    git(person, 'commit', '--quiet', '--message', 'Add a file')
    git(person, 'push', '--quiet', '--force', 'origin', 'main')
    const { status, output } = pull(server)
    assert.equal(status, 1, name)
    assert.match(output, /has a link, or a file that is not part of a release; expected regular/)
    assert.ok(output.includes(name.split('\n', 1)[0] ?? ''), output)
    assert.equal(git(server, 'rev-parse', 'HEAD'), before)
  }
})
