import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { folderWithLog, rollBackTo } from '../support/logged-releases.ts'
import { succeeded, svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'
import { openStubWitness } from '../support/stub-witness.ts'

test('without a log the pages do not mention one', async (t) => {
  const app = await runApp(t)
  for (const page of ['/en/verify', '/en/history/VS-0001']) {
    const text = await (await app.fetch(page)).text()
    assert.doesNotMatch(text, /id="log"|tlog-proof/, page)
  }
})

test('the verify page and each version say who cosigned, of how many and when, with the proof', async (t) => {
  const { folder, releases, vkey } = await folderWithLog(t)
  const atSeconds = Date.UTC(2026, 10, 20, 8, 30) / 1000
  const witness = await openStubWitness(t, 'w1', 0x31, vkey, () => atSeconds)
  const serve = async () => runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  const alone = await (await (await serve()).fetch('/en/verify')).text()
  assert.match(alone, /has 3 versions\. So far only the operator has signed it\./)

  // Only space and tab separate names, and a comment may have any bytes.
  const harbor = 'har\u3000bor\u00a0'
  const other = await openStubWitness(t, 'w2', 0x32, vkey)
  const policy = `# \u0001\u00a0\xff
log ${vkey}
\t witness \t${harbor}\t${witness.vkey} ${witness.url}
witness <i> ${other.vkey}
group g 1 ${harbor} <i>
quorum g
`
  writeFileSync(path.join(releases, 'log', 'policy'), policy)
  succeeded(await svcIn(folder, ['tlog', 'cosign']))
  await rollBackTo(folder, 'VS-0001', 'Back', '--no-witnesses')
  const app = await serve()
  for (const [page, expected] of [
    ['/en/verify', /VS-0004 is not in the served checkpoint yet/],
    ['/en/history/VS-0002', /href="\/log\/proof\/VS-0002\.tlog-proof"/],
    ['/th/history/VS-0003', /href="\/log\/proof\/VS-0003\.tlog-proof"/],
    ['/zh-CN/verify', /VS-0004 尚未进入/],
  ] as const) {
    const text = await (await app.fetch(page)).text()
    assert.match(text, expected, page)
    assert.ok(text.includes(harbor), page)
    assert.match(text, /datetime="2026-11-20T08:30:00\.000Z"/, page)
    assert.doesNotMatch(text, /<i>/, page)
  }
  const english = await (await app.fetch('/en/history/VS-0002')).text()
  assert.match(
    english.replaceAll(/<[^>]+>/g, ''),
    /3 versions\. 1 of 2 witnesses cosigned it, most recently on [^]{0,40}Nov 20, 2026/,
  )
})
