import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { releasesOf, type MadeContent } from '../support/made-content.ts'
import { attributeOf, parsePage, textIn } from '../support/page-markup.ts'
import { runApp } from '../support/running-app.ts'

const AT = '2026-11-21T00:00:00Z'
const DAY = '2026-11-21'

async function pageWith(t: TestContext, path: string, content: MadeContent) {
  const app = await runApp(t, { releases: releasesOf(content) })
  const { all, ids } = parsePage(await (await app.fetch(`/en/${path}`)).text())
  return {
    ids,
    text: all('main').map(textIn).join(' '),
    links: all('main a')
      .filter((link) => attributeOf(link, 'class') !== 'anchor')
      .map((link) => [attributeOf(link, 'href'), textIn(link)] as const),
    headings: all('main h2, main h3').map(textIn),
  }
}

function linkCalled(links: readonly (readonly [string | undefined, string])[], text: string) {
  return links.filter(([, words]) => words === text).map(([href]) => href)
}

const item = (
  id: string,
  horizon: 'now' | 'next' | 'later',
  dependsOn: readonly string[] = [],
) => ({
  id,
  title: `Title of ${id}`,
  summary: 'Summary.',
  horizon,
  dependsOn,
})

test('roadmap items link to dependencies, queue items to the roadmap', async (t) => {
  const { links, text } = await pageWith(t, 'roadmap', {
    roadmap: {
      summary: 'Summary.',
      updatedAt: AT,
      items: [item('first', 'now'), item('second', 'next', ['first', 'gone'])],
    },
    'development-queue': {
      summary: 'Summary.',
      updatedAt: AT,
      items: [
        {
          id: 'work',
          title: 'Title of work',
          summary: 'Summary.',
          kind: 'feature',
          state: 'blocked',
          priority: 7,
          since: DAY,
          roadmapItem: 'second',
          blockedBy: ['other-work', 'gone-work'],
        },
        {
          id: 'other-work',
          title: 'Title of other work',
          summary: 'Summary.',
          kind: 'fix',
          state: 'queued',
          priority: 8,
          since: DAY,
        },
      ],
    },
  })
  assert.deepEqual(linkCalled(links, 'Title of first'), ['#roadmap-first'])
  assert.deepEqual(linkCalled(links, 'Title of second'), ['#roadmap-second'])
  assert.deepEqual(linkCalled(links, 'Title of other work'), ['#queue-other-work'])
  // There are no link targets, so the ids are plain text.
  assert.ok(text.includes('Title of first and gone'), text)
  assert.ok(text.includes('Title of other work and gone-work'), text)
  // No item is meant for later, and the column says so.
  assert.ok(text.includes(`${TEXTS.en.labels.horizon.later} ${TEXTS.en.roadmap.none}`), text)
})

test('the changelog links to the reference and orders its kinds', async (t) => {
  const { method, path } = ENDPOINTS.roadmap
  const { links, text, headings, ids } = await pageWith(t, 'changelog', {
    changelog: {
      summary: 'Summary.',
      updatedAt: AT,
      unreleased: [],
      releases: [
        {
          version: '1.2.3',
          date: DAY,
          changes: [
            { kind: 'security', text: 'Third.' },
            { kind: 'added', text: 'First.', endpoints: [`${method} ${path}`] },
            {
              kind: 'deprecated',
              text: 'Second.',
              endpoints: ['GET /api/v1/gone'],
              sunsetOn: '2027-06-01',
              replacement: 'GET /api/v2/roadmap',
            },
          ],
        },
      ],
    },
  })
  const { added, deprecated, security } = TEXTS.en.labels.changelogKind
  assert.deepEqual(headings, [
    TEXTS.en.changelog.release.replace('{version}', '1.2.3'),
    added,
    deprecated,
    security,
  ])
  assert.ok(ids.includes('v1.2.3'))
  assert.deepEqual(linkCalled(links, `${method} ${path}`), ['/en/reference/snapshots#roadmap'])
  for (const gone of ['GET /api/v1/gone', 'GET /api/v2/roadmap']) {
    assert.deepEqual(linkCalled(links, gone), [], gone)
    assert.ok(text.includes(gone), gone)
  }
  assert.ok(text.includes('Jun 1, 2027'), text)
})

test('an incident links to its affected components', async (t) => {
  const { links, text } = await pageWith(t, 'status', {
    status: {
      state: 'degraded',
      summary: 'Summary.',
      updatedAt: AT,
      components: [
        { id: 'part', name: 'Name of part', summary: 'Summary.', state: 'degraded', since: AT },
      ],
      incidents: [
        {
          id: 'slow',
          title: 'Slow',
          state: 'monitoring',
          impact: 'minor',
          startedAt: AT,
          components: ['part', 'gone'],
          updates: [{ at: AT, state: 'identified', text: 'Said.' }],
        },
      ],
    },
  })
  assert.deepEqual(linkCalled(links, 'Name of part'), ['/en/status#component-part'])
  // Beside the incident, with its state; a component that no longer exists has none.
  assert.match(text, /Updated 9 hours ago Said\. Name of part Degraded/)
  assert.ok(!text.includes(TEXTS.en.status.ended))
  assert.ok(!text.includes(TEXTS.en.status.noIncidents))
})

test('empty lists have an empty state', async (t) => {
  const head = { summary: 'Summary.', updatedAt: AT }
  const { text } = await pageWith(t, 'roadmap', {
    roadmap: { ...head, items: [] },
    'development-queue': { ...head, items: [] },
  })
  assert.equal(text.split(TEXTS.en.roadmap.none).length - 1, 3)
  assert.ok(text.includes(TEXTS.en.roadmap.queueEmpty))
  const changelog = await pageWith(t, 'changelog', {
    changelog: { ...head, unreleased: [], releases: [] },
  })
  assert.ok(changelog.text.includes(TEXTS.en.changelog.noReleases))
  const wallet = await pageWith(t, 'wallet', {
    'wallet/evidence': { ...head, attached: false, evidence: [] },
  })
  // A view says first what it is about; its empty lists are left out.
  assert.match(wallet.text, /Evidence Summary\. Capabilities/)
})
