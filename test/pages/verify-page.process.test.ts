import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { LOCALES } from '@public-api/contract/terms/locales'
import { withoutLineMarks } from '@public-api/contract/text/line-marks'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { key } from '../client/scripted-client.ts'
import { PUBLISHED_COMMANDS } from '../support/made-content.ts'
import { htmlFaults } from '../support/page-checks.ts'
import { attributeOf, parsePage, textIn, unescapeHtml } from '../support/page-markup.ts'
import { svc } from '../support/run-svc.ts'
import { otherSigningKey, runApp, testSigning, type RunningApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const pageOf = (app: RunningApp, locale = 'en'): Promise<string> => app.text(`/${locale}/verify`)

/** The code in a box of the page. */
function codeIn(page: string, id: string): string {
  const [, code] = new RegExp(`<code id="${id}">([^<]*)</code>`).exec(page) ?? []
  assert.ok(code !== undefined, id)
  return unescapeHtml(code)
}

for (const locale of LOCALES) {
  test(`the page in ${locale} is valid, names the key, offers to copy it, and its contents resolve`, async (t) => {
    const text = await pageOf(await runApp(t), locale)
    assert.deepEqual(await htmlFaults(text), [])
    assert.ok(Buffer.byteLength(text) < 60_000)
    const page = parsePage(text)
    assert.equal(codeIn(text, 'key-id'), key.keyId)
    const buttons = page.all('button.copy').map((button) => attributeOf(button, 'data-copy'))
    assert.deepEqual(buttons, ['key-id', 'native-code', 'curl-code'])
    const contents = page.all('nav.contents a').map((link) => attributeOf(link, 'href'))
    assert.equal(contents.length, 7)
    for (const href of contents) assert.ok(page.ids.includes((href ?? '').slice(1)), String(href))
    const lines = page.all('main tbody tr')
    assert.equal(lines.length, 6)
    const [label, method, target, status] = lines.map((line) => textIn(line))
    assert.ok(label?.includes('svc-response-v1'))
    assert.ok(method?.includes('GET') && status?.includes('200'))
    assert.ok(target?.includes('/api/v1/status'))
    const shown = withoutLineMarks(unescapeHtml(text))
    for (const limit of TEXTS[locale].verify.limits) {
      assert.ok(shown.includes(withoutLineMarks(limit.replace('{seconds}', '900'))), limit)
    }
  })
}

test('an unsigned deployment says so and shows no key', async (t) => {
  const text = await pageOf(await runApp(t, { signing: undefined }))
  assert.ok(text.includes(TEXTS.en.verify.unsigned))
  assert.ok(!text.includes('id="key-id"'))
  assert.deepEqual(await htmlFaults(text), [])
  assert.ok(!(await pageOf(await runApp(t))).includes(TEXTS.en.verify.unsigned))
})

/** The commands of the page, run as they stand, but for the origin that a test's service cannot know beforehand. */
async function runCommands(t: TestContext, commands: string): Promise<string> {
  const folder = temporaryFolder(t)
  // Not a synchronous call: the app answers from this very process.
  const { stdout } = await promisify(execFile)('sh', ['-c', commands], { cwd: folder })
  return stdout
}

test('the curl and openssl commands accept a real response and reject a wrong key and a changed body', async (t) => {
  const missing = ['curl', 'openssl', 'sh'].find(
    (name) => spawnSync(name, ['--version']).error !== undefined,
  )
  if (missing !== undefined) return t.skip(`${missing} is not on this machine`)
  const base = 'https://api.example.test'
  const app = await runApp(t, { baseUrl: base })
  const commands = codeIn(await pageOf(app), 'curl-code')
  assert.ok(commands.startsWith(`base=${base}\npin=${key.keyId}\n`))
  const pointed = commands.replace(base, app.origin)
  const good = 'digest: good\nkey: the pinned one\nSignature Verified Successfully\n'
  assert.equal(await runCommands(t, pointed), good)

  const changed = pointed.replace('field() {', 'sed -i s/true/null/ body.json\nfield() {')
  assert.notEqual(changed, pointed)
  await assert.rejects(runCommands(t, changed), (error: { stdout?: string }) => {
    assert.equal(error.stdout, 'key: the pinned one\nSignature Verification Failure\n')
    return true
  })

  const copy = await runApp(t, { signing: testSigning(otherSigningKey()) })
  const atCopy = commands.replace(base, copy.origin)
  await assert.rejects(runCommands(t, atCopy), (error: { stdout?: string }) => {
    assert.equal(error.stdout, 'digest: good\n', 'a copy has another key, so no verdict is printed')
    return true
  })
})

test('the commands match the README and check the pinned key ID', async (t) => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const commands = codeIn(await pageOf(await runApp(t)), 'curl-code').replaceAll(/\\\n\s*/g, '')
  const [, block = ''] =
    /## Verify a response yourself[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme) ?? []
  const [first = ''] = block.split('# 3.')
  const lines = first.trim().split('\n')
  assert.ok(lines.length > 8)
  for (const line of lines.filter((each) => /^[^#]/.test(each))) {
    assert.ok(commands.includes(line), line)
  }
})

test('the published commands are shown once the organization names their package, and exist', async (t) => {
  const app = await runApp(t, { releases: PUBLISHED_COMMANDS })
  const page = await pageOf(app)
  const buttons = parsePage(page)
    .all('button.copy')
    .map((each) => attributeOf(each, 'data-copy'))
  assert.deepEqual(buttons, ['key-id', 'native-code', 'curl-code', 'package-code', 'command-code'])
  const markdown = async (path: string) => (await app.fetch(`/en/${path}.md`)).text()
  for (const name of ['roadmap', 'development-queue']) {
    const command = `npx @public-api/cli verify http://127.0.0.1:8080/api/v1/${name} --pin ${key.keyId}`
    assert.ok((await markdown('roadmap')).includes(command), name)
  }
  // Not in a query: a program that saves the pages would save this one for each of them.
  const link = /\/en\/verify#of=roadmap\+development-queue"/
  assert.match(await (await app.fetch('/en/roadmap')).text(), link)
  assert.doesNotMatch(
    await (await runApp(t)).fetch('/en/roadmap.md').then((each) => each.text()),
    /npx/,
  )
  const lines = codeIn(page, 'command-code')
  const commands = lines.replaceAll('\\\n', '').trim().split('\n')
  const names = commands.map((line) => /^npx @public-api\/cli (\w+) /.exec(line)?.[1] ?? line)
  assert.deepEqual(names, ['verify', 'audit', 'doctor'])
  for (const name of names) assert.equal((await svc(name, '--help')).status, 0, name)
})
