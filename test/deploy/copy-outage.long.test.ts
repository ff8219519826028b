import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { request as send } from 'node:http'
import path from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { liveDependencies } from '../cli/verifying/live-app.ts'
import { key } from '../client/scripted-client.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { collectText } from '../support/collect-text.ts'
import { serve } from '../support/loopback-server.ts'
import { succeeded, svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { serveFolder } from '../support/static-host.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const browser = useBrowser()
const CHECKOUT = process.cwd()
const SVC = '.public-api/node_modules/.bin/node .public-api/src/cli/svc.ts'
const IDENTITY = [
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
]
const ENV = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(IDENTITY.map((name) => [name, 'person@example.org'])),
}

/** Runs a command while the servers of the test respond. Rejects unless it succeeds. */
async function run(folder: string, command: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const [program = '', ...args] = command
  const child = spawn(program, args, { cwd: folder, env: { ...ENV, ...env }, stdio: 'pipe' })
  const output = collectText(child.stdout, child.stderr)
  const [status] = (await once(child, 'close')) as [number | null]
  assert.equal(status, 0, `${command.join(' ')}: ${output.text}`)
  return output.text
}

test(
  'an incident while the service is dead: docs/copy.md, step by step',
  { skip: browserMissing },
  async (t) => {
    const folder = temporaryFolder(t)
    const forge = path.join(folder, 'forge.git')
    const person = path.join(folder, 'person')
    await run(folder, ['git', 'init', '--quiet', '--bare', '--initial-branch=main', forge])
    await run(folder, ['git', 'clone', '--quiet', forge, person])
    cpSync('content', path.join(person, 'content'), { recursive: true })
    mkdirSync(path.join(person, 'releases'))
    succeeded(await svcIn(person, ['publish', '--note', 'First', '--no-cards']))
    await run(person, ['git', 'checkout', '--quiet', '-B', 'main'])
    await run(person, ['git', 'add', '--all'])
    await run(person, ['git', 'commit', '--quiet', '--message', 'Publish VS-0001'])
    await run(person, ['git', 'push', '--quiet', 'origin', 'main'])
    const server = path.join(folder, 'server')
    await run(folder, ['git', 'clone', '--quiet', forge, server])

    // The first server: the service, behind an address that may stop answering.
    const startService = () =>
      runApp(t, {
        ...liveDependencies(),
        releases: loadReleases(openReleaseStore(path.join(server, 'releases'))),
      })
    let service: Awaited<ReturnType<typeof startService>> | undefined = await startService()
    const origin = await serve(t, (incoming, response) => {
      if (service === undefined) return void incoming.socket.destroy()
      const { method, url: target, headers } = incoming
      const to = { host: '127.0.0.1', port: service.port, method, path: target, headers }
      const passed = send(to, (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.rawHeaders)
        reply.pipe(response)
      })
      incoming.pipe(passed)
    })

    // The second one: a static host, which has what the workflow pushed last.
    const { jobs } = parse(readFileSync('deploy/copy/github/pages.yml', 'utf8')) as {
      readonly jobs: {
        readonly copy: {
          readonly steps: readonly { readonly run?: string; readonly env?: NodeJS.ProcessEnv }[]
        }
      }
    }
    const step = jobs.copy.steps.at(-1)
    const vars: NodeJS.ProcessEnv = { ORIGIN: origin, PIN: key.keyId, COPY_URL: '' }
    const env = Object.fromEntries(
      Object.entries(step?.env ?? {}).map(([name, value = '']) => [
        name,
        value.replace(/^\$\{\{ vars\.(\w+) \}\}$/, (_, variable: string) => vars[variable] ?? ''),
      ]),
    )
    let runs = 0
    const checkOut = async () => {
      runs += 1
      const checkout = path.join(folder, `run-${runs}`)
      await run(folder, ['git', 'clone', '--quiet', forge, checkout])
      symlinkSync(CHECKOUT, path.join(checkout, '.public-api'))
      return checkout
    }
    let published = ''
    const publishCopy = async () => {
      const output = await run(await checkOut(), ['bash', '-e', '-c', step?.run ?? 'false'], env)
      published = path.join(folder, `pages-${runs}`)
      await run(folder, ['git', 'clone', '--quiet', '--branch', 'gh-pages', forge, published])
      assert.equal(await run(published, ['git', 'rev-list', '--count', 'HEAD']), '1\n')
      return output
    }
    const host = await serveFolder(t, () => published)
    const notice = async (below = 'status', locale = 'en', clock?: Date) => {
      const { page } = await browser.openPage(t)
      if (clock !== undefined) await page.clock.setFixedTime(clock)
      await page.goto(`${host}/${locale}/${below}`)
      const said = page.locator('#copy [role="status"]')
      await said.getByText(/The service (?:has|now has|cannot be reached)|无法连接服务/).waitFor()
      // The last sentence comes with the one that was waited for.
      const text = await said.innerText()
      const shown = await page.locator('main').innerText()
      await page.context().close()
      return { text, shown }
    }

    await publishCopy()
    const before = await notice()
    assert.match(before.text, /Proven .*: VS-0001 was the newest version\. .*nothing newer\.$/)
    const audit = () =>
      svcIn(folder, ['audit', origin, '--pin', key.keyId, '--state', 'state.json'])
    succeeded(await audit())
    const proof = readFileSync(path.join(published, 'now.json'), 'utf8')

    service = undefined
    await run(await checkOut(), ['.public-api/deploy/git/publish.sh', 'incident'], {
      SVC,
      ACTION: 'open',
      TITLE: 'The data center has no power',
      IMPACT: 'critical',
      COMPONENTS: 'read-api=major_outage',
      SUMMARY: 'The service cannot be reached.',
      TEXT: 'We move to another data center.',
    })
    await publishCopy()
    const during = await notice()
    assert.match(
      during.text,
      /^Copy of .*\. Proven .* up to VS-0001; VS-0002, shown here, is not signed yet\. The service cannot be reached\.$/,
    )
    assert.match(during.shown, /The data center has no power/)
    // Only the clock is wrong, and the copy is not accused.
    const yesterday = await notice('status', 'en', new Date(Date.now() - 86_400_000))
    assert.match(
      yesterday.text,
      /^Copy of .*\. The clock of this device is behind the time of the signature, so the age is not known\. The service cannot be reached\.$/,
    )
    assert.match(
      (await notice('status', 'zh-CN')).text,
      /^.+已证明至 VS-0001；此处显示的 VS-0002 尚未签名。无法连接服务。/,
    )
    const ofNew = await notice('history/VS-0002')
    assert.match(ofNew.text, /VS-0002, shown here, is not signed yet\./)
    assert.doesNotMatch((await notice('history/VS-0001')).text, /not signed/)
    assert.match(during.shown, /We move to another data center\./)
    assert.equal(readFileSync(path.join(published, 'now.json'), 'utf8'), proof)
    assert.match(await publishCopy(), /The copy has not changed\./)

    // The service returns, takes the version up, and the chain that auditors saw continues.
    await run('/', [path.join(CHECKOUT, 'deploy/git/pull.sh'), server])
    service = await startService()
    await publishCopy()
    const later = await notice()
    assert.match(later.text, /VS-0002 was the newest version\. .*nothing newer\.$/)
    assert.match((await audit()).out, /It continues the head of the last audit \(VS-0001\)\./)

    // A version of something else leaves the page of the incident as new as the service, in the copies before and after it.
    await run(person, ['git', 'pull', '--quiet', 'origin', 'main'])
    const queue = path.join(person, 'content/development-queue.yaml')
    const text = readFileSync(queue, 'utf8').replace(/^summary: .*$/m, 'summary: Another queue.')
    writeFileSync(queue, text)
    succeeded(await svcIn(person, ['publish', '--note', 'Queue', '--no-cards']))
    await run(person, ['git', 'add', '--all'])
    await run(person, ['git', 'commit', '--quiet', '--message', 'Publish VS-0003'])
    await run(person, ['git', 'push', '--quiet', 'origin', 'main'])
    await run('/', [path.join(CHECKOUT, 'deploy/git/pull.sh'), server])
    service = await startService()
    const status = readFileSync(path.join(person, 'content/status.yaml'), 'utf8')
    const [, id] = /id: (\S+)\n\s+title: The data center has no power/.exec(status) ?? []
    const ofIncident = async () => (await notice(`status/incidents/${id}`)).text
    assert.match(await ofIncident(), /VS-0002 was the newest version\. .*nothing newer\.$/)
    assert.match((await notice()).text, /The service now has VS-0003\.$/)
    await publishCopy()
    assert.match(await ofIncident(), /VS-0003 was the newest version\. .*nothing newer\.$/)
    assert.match((await notice()).text, /nothing newer\.$/)
    const [page] = readFileSync(
      path.join(published, `en/status/incidents/${id}/index.html`),
      'utf8',
    ).match(/data-version="VS-\d+"/) ?? ['']
    assert.equal(page, 'data-version="VS-0002"')
  },
)
