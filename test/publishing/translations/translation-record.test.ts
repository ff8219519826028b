import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { compileContent } from '../../../src/publishing/compile/compile-content.ts'
import { publishRelease } from '../../../src/publishing/releases/publish-release.ts'
import { openReleaseStore } from '../../../src/releases/release-store.ts'
import { loadReleases } from '../../../src/service/releases/releases.ts'
import { parsePage, textIn } from '../../support/page-markup.ts'
import { failedWith, svc } from '../../support/run-svc.ts'
import { runApp } from '../../support/running-app.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { editContent, FIXTURE_NOW_MS, makeContent, writeContent } from '../content-fixture.ts'

test('a translation whose source changed is not published until it changes or is confirmed', async (t) => {
  const contentDir = makeContent(t)
  const releasesDir = path.join(temporaryFolder(t), 'releases')
  const store = openReleaseStore(releasesDir)
  const publish = () =>
    publishRelease({
      contentDir,
      store,
      nowMs: FIXTURE_NOW_MS,
      registryVersion: '1.0.0',
      note: 'A.',
    })
  const published = async () => {
    const { resources, outdated } = await compileContent(contentDir, FIXTURE_NOW_MS)
    const overlay: unknown = JSON.parse(resources.get('site/translations/th')?.text ?? '{}')
    return { overlay, outdated: outdated.map(({ place, field }) => `${place().line} ${field}`) }
  }
  writeContent(
    contentDir,
    'th/status.yaml',
    'summary: ทุกอย่างทำงาน\ncomponents:\n  read-api: { name: อ่าน }\n',
  )
  await publish()
  editContent(contentDir, 'status', 'name: Read API', 'name: Reads')
  editContent(contentDir, 'status', 'summary: What it is.', 'summary: The service is down.')
  assert.deepEqual(await published(), {
    overlay: {},
    outdated: ['1 status.summary', '3 status.components[read-api].name'],
  })
  const releases = ['--releases', releasesDir]
  const diff = await svc('diff', '--content', contentDir, ...releases)
  assert.match(diff.out, /^site\/translations\/th: removed$/m)
  const checked = await svc('check', '--content', contentDir)
  assert.equal(checked.status, 0, checked.error)
  // Warnings stand on standard error, where a program that reads the result does not find them.
  const older =
    /^Warning: \S+th\/status\.yaml:1:10: status\.summary: the translation is older than its text/m
  for (const { out, error } of [diff, checked]) {
    assert.match(error, older)
    assert.doesNotMatch(out, /older than/)
  }
  const { warnings } = await publish()
  assert.equal(warnings.length, 2)
  // The pages show the source, in its language.
  const app = await runApp(t, { releases: loadReleases(store) })
  const page = parsePage(await (await app.fetch('/th/status')).text())
  const english = page.all('main [lang="en"]').map(textIn)
  assert.ok(english.includes('The service is down.'), english.join('\n'))
  assert.ok(english.includes('Reads'))
  assert.doesNotMatch(page.all('main').map(textIn).join(''), /ทุกอย่างทำงาน/)
  assert.match(
    warnings[0] ?? '',
    /th.status\.yaml:1:10: status\.summary: the translation is older than its text/,
  )
  // Still outdated after publishing.
  assert.equal((await published()).outdated.length, 2)

  editContent(contentDir, 'th/status', 'ทุกอย่างทำงาน', 'บริการล่ม')
  assert.deepEqual((await published()).outdated, ['3 status.components[read-api].name'])
  const confirm = ['translations', 'confirm', 'th', '--content', contentDir]
  assert.equal((await svc(...confirm, 'status.nothing')).status, 2)
  assert.equal((await svc(...confirm, 'status.components[read-api].name')).status, 0)
  assert.deepEqual(await published(), {
    overlay: {
      locale: 'th',
      resources: { status: { summary: 'บริการล่ม', components: { 'read-api': { name: 'อ่าน' } } } },
    },
    outdated: [],
  })
  const list = (...args: readonly string[]) => svc('translations', ...args, '--content', contentDir)
  const { out } = await list('th')
  assert.match(out, /^0 outdated translations, \d+ missing in /)
  assert.match(
    out,
    /status\.yaml:7:14: status\.components\[read-api\]\.summary: no translation into th$/m,
  )
  assert.doesNotMatch(out, /status\.summary|zh-CN/)
  assert.equal((await list()).out, out)
  const { missing } = JSON.parse((await list('zh-CN', '--json')).out) as {
    readonly missing: readonly { readonly locale: string; readonly field: string }[]
  }
  assert.ok(missing.every(({ locale }) => locale === 'zh-CN'))
  assert.ok(missing.some(({ field }) => field === 'status.summary'))
  for (const [text, reason] of [
    ['{\n<<<<<<< HEAD\n', 'a merge conflict'],
    ['[]', 'found no translations'],
  ] as const) {
    writeContent(contentDir, 'th/.translated.json', text)
    const error = failedWith(1, await svc('check', '--content', contentDir))
    assert.ok(error.includes(`th/.translated.json is damaged (${reason}); restore it from`), error)
  }
})
