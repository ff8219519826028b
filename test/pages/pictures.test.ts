import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { describe, test } from 'node:test'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { releasesOf, type MadeContent } from '../support/made-content.ts'
import { htmlFaults } from '../support/page-checks.ts'
import { parsePage, textIn, unescapeHtml, type PageMarkup } from '../support/page-markup.ts'
import { runApp, TEST_SIGNING_KEY, type RunningApp } from '../support/running-app.ts'
import { CALM_STATUS } from '../support/trouble-content.ts'

type Incident = SnapshotData<'status'>['incidents'][number]

const MOMENT = '2026-10-10T09:00:00Z'

interface ReadPage {
  readonly text: string
  readonly markup: PageMarkup
}

async function readPage(app: RunningApp, page: string, locale: Locale = 'en'): Promise<ReadPage> {
  const text = await (await app.fetch(`/${locale}/${page}`)).text()
  assert.deepEqual(await htmlFaults(text), [])
  return { text, markup: parsePage(text) }
}

/** The content of a picture whose name and description are elements of the page. The parser of pages leaves SVG out. */
function pictureIn({ text, markup }: ReadPage, id: string, role: 'img' | 'group'): string {
  const [tag = '', content = ''] =
    [...text.matchAll(/<svg\b[^>]*>(.*?)<\/svg>/gs)].find(([svg]) =>
      svg.includes(`aria-labelledby="${id}-title"`),
    ) ?? []
  assert.match(tag, new RegExp(`^<svg\\s+role="${role}"`))
  assert.match(tag, new RegExp(`^[^>]*aria-describedby="${id}-text"`))
  assert.equal(content.includes('<a '), role === 'group')
  for (const part of ['title', 'text']) {
    const [element] = markup.all(`#${id}-${part}`)
    assert.ok(element !== undefined && textIn(element).length > 2, part)
  }
  return content
}

/** The text in the elements of a picture with this name. */
function textsOf(picture: string, name = 'text'): readonly string[] {
  return Array.from(
    picture.matchAll(new RegExp(`<${name}\\b.*?</${name}\\s*>`, 'gs')),
    ([element]) =>
      unescapeHtml(element.replaceAll(/<[^>]*>/g, ''))
        .replaceAll(/\s+/g, ' ')
        .trim(),
  )
}

const said = ({ markup }: ReadPage, id: string): string => markup.all(`#${id}`).map(textIn).join()

function statusWith(incidents: readonly Incident[]): MadeContent {
  const components = CALM_STATUS.components.slice(0, 1)
  return { status: { ...CALM_STATUS, updatedAt: MOMENT, components, incidents: [...incidents] } }
}

const INCIDENT: Incident = {
  id: 'late',
  title: 'Late',
  state: 'resolved',
  impact: 'major',
  startedAt: '2026-10-09T02:00:00Z',
  resolvedAt: '2026-10-09T08:00:00Z',
  components: ['reads'],
  updates: [
    { at: '2026-10-09T10:00:00Z', state: 'resolved', text: 'Over.' },
    { at: '2026-10-09T04:00:00Z', state: 'identified', text: 'A disk.' },
  ],
}

const PAGE = 'status/incidents/late'

describe('the timeline of an incident', () => {
  for (const locale of LOCALES) {
    test(`shows each published moment in order in ${locale}`, async (t) => {
      const app = await runApp(t, { releases: releasesOf(statusWith([INCIDENT])) })
      const picture = pictureIn(await readPage(app, PAGE, locale), 'timeline-late', 'img')
      const { picture: words, labels } = TEXTS[locale]
      const expected: readonly (readonly string[])[] = [
        ['02:00', words.incidentStarted],
        ['04:00', labels.incidentState.identified],
        ['08:00', words.incidentEnded],
        ['10:00', labels.incidentState.resolved],
      ]
      const shown = textsOf(picture)
      assert.equal(shown.length, expected.length)
      for (const [index, parts] of expected.entries()) {
        for (const part of parts) assert.ok(shown[index]?.includes(part), shown.join())
      }
    })
  }

  test('is to scale, with a bar from start to end', async (t) => {
    const app = await runApp(t, { releases: releasesOf(statusWith([INCIDENT])) })
    const picture = pictureIn(await readPage(app, PAGE), 'timeline-late', 'img')
    const [axis, bar] = [...picture.matchAll(/<rect\b[^>]*>/g)].map(([rect]) => rect)
    const widthOf = (rect = ''): number => Number(/\swidth="(\d+)"/.exec(rect)?.[1])
    // Six of eight hours.
    assert.equal(widthOf(bar) / widthOf(axis), 0.75)
    assert.match(bar ?? '', /class="picture-bad"/)
  })

  test('fits on a phone, with marks apart and a shape for each state', async (t) => {
    const incident: Incident = {
      ...INCIDENT,
      updates: [
        { at: '2026-10-10T10:00:00Z', state: 'resolved', text: 'Over.' },
        { at: '2026-10-09T08:05:00Z', state: 'monitoring', text: 'Watching.' },
        { at: '2026-10-09T04:00:00Z', state: 'identified', text: 'A disk.' },
        { at: '2026-10-09T02:10:00Z', state: 'investigating', text: 'Why?' },
      ],
    }
    const app = await runApp(t, { releases: releasesOf(statusWith([incident])) })
    const page = await readPage(app, PAGE)
    const picture = pictureIn(page, 'timeline-late', 'img')
    assert.match(page.text, /aria-describedby="timeline-late-text"[^>]*\swidth="328"/)
    assert.deepEqual(
      Array.from(picture.matchAll(/"picture-(tick|cross|warn|review|good)"/g), ([, name]) => name),
      ['tick', 'cross', 'warn', 'tick', 'review', 'good'],
    )
    const stems = Array.from(picture.matchAll(/"picture-link"\s+d="M(\d+)/g), ([, x]) => Number(x))
    for (const [index, x] of stems.entries()) {
      assert.ok(index === 0 || x - (stems[index - 1] ?? 0) >= 12, stems.join())
    }
    // The last label is left of its mark.
    assert.match(picture, /text-anchor="end"[^<]*Resolved/)
  })

  test('of an open incident says that it is not resolved', async (t) => {
    const { resolvedAt: _, ...open } = INCIDENT
    const incident = { ...open, state: 'identified', updates: open.updates.slice(1) } as const
    const app = await runApp(t, { releases: releasesOf(statusWith([incident])) })
    const page = await readPage(app, PAGE)
    const marks = textsOf(pictureIn(page, 'timeline-late', 'img'))
    assert.equal(marks.length, 3)
    // The time of the test.
    assert.equal(marks.at(-1), 'Nov 21, 09:00 Now')
    assert.match(said(page, 'timeline-late-text'), /not resolved: Major/)
  })

  test('is not drawn for a single instant', async (t) => {
    const moment = {
      ...INCIDENT,
      resolvedAt: INCIDENT.startedAt,
      updates: [{ at: INCIDENT.startedAt, state: 'resolved' as const, text: 'Over.' }],
    }
    const app = await runApp(t, { releases: releasesOf(statusWith([moment])) })
    assert.equal((await readPage(app, PAGE)).markup.all('figure.picture').length, 0)
  })
})

describe('the days of a component', () => {
  const NOW = Date.parse('2026-03-12T10:00:00Z')

  /** Kind, number of days, tooltip and incident of each run of days over the base line, oldest first. */
  const runsOf = ({ text }: ReadPage) => {
    const [, bars = ''] = /<svg\s+class="day-bars"[^>]*>(.*?)<\/svg>/s.exec(text) ?? []
    return Array.from(
      bars.matchAll(
        /(?:<a href="([^"]*)"[^>]*>)?<path class="day-(\w+)" d="M\d+ 30h(\d+)">(?:<title>([^<]*))?/g,
      ),
      ([, incident, kind, width, title = '']) => [
        kind,
        Number(width) / 9,
        unescapeHtml(title).replaceAll('\u2009', ' '),
        incident,
      ],
    )
  }

  // The record began on March 4, and the newest status was reviewed on March 9.
  const content = statusWith([
    { ...INCIDENT, startedAt: '2026-03-06T23:00:00Z', resolvedAt: '2026-03-07T01:00:00Z' },
    {
      ...INCIDENT,
      id: 'slow',
      title: 'Slow',
      impact: 'minor' as const,
      startedAt: '2026-03-08T02:00:00Z',
      resolvedAt: '2026-03-08T03:00:00Z',
    },
  ])
  const status = content.status && { ...content.status, updatedAt: '2026-03-09T12:00:00Z' }
  const releases = () => releasesOf({ ...(status && { status }) })

  test('begin with the record, end today, and lead to their incidents; the worst is the highest', async (t) => {
    const app = await runApp(t, { releases: releases(), clock: { nowMs: () => NOW } })
    const page = await readPage(app, 'status')
    assert.deepEqual(runsOf(page), [
      ['unrecorded', 9, '', undefined],
      ['none', 2, 'Mar 4 – 5, 2026: No impact', undefined],
      ['major', 2, 'Mar 6 – 7, 2026: Late', '/en/status/incidents/late'],
      ['minor', 1, 'Mar 8, 2026: Slow', '/en/status/incidents/slow'],
      ['none', 4, 'Mar 9 – 12, 2026: No impact', undefined],
    ])
    const row = page.markup.all('#component-reads').map(textIn).join()
    assert.match(
      row,
      /Recorded since Mar 4, 2026 \(9 days\)\. Days with an incident or reduced service: 3\./,
    )
    const links = page.markup.all('#component-reads p a').map((link) => link.attribute('href'))
    // The feeds of components stand where the page says how to subscribe.
    assert.deepEqual(links, ['/en/status/incidents/slow'])
    const feeds = page.markup.all('a').map((link) => link.attribute('href'))
    assert.ok(feeds.includes('/en/status/components/reads.atom'), feeds.join(' '))
    assert.ok(feeds.includes('/en/status/components/reads.json'), feeds.join(' '))
    const [, style = ''] = /href="([^"]*style[^"]*css)"/.exec(page.text) ?? []
    const css = await (await app.fetch(style)).text()
    const heights = ['unrecorded', 'none', 'minor', 'major'].map((kind) =>
      Number(new RegExp(`\\.day-${kind}\\s*\\{[^}]*stroke-width:\\s*(\\d+)`).exec(css)?.[1]),
    )
    assert.deepEqual(
      heights,
      heights.toSorted((a, b) => a - b),
    )
    // Half of the line is below the picture, which is 30 high.
    assert.equal(heights.at(-1), 60)
  })

  test('move on when the day changes, and the state grows older', async (t) => {
    const clock = { ms: NOW }
    const app = await runApp(t, { releases: releases(), clock: { nowMs: () => clock.ms } })
    const shown = async () => {
      const page = await readPage(app, 'status')
      return [runsOf(page)[0]?.[1], page.markup.all('#state-now .lead').map(textIn).join()] as const
    }
    const [days, before] = await shown()
    assert.equal(days, 9)
    assert.match(before, /Mar 9, 2026, 12:00\sUTC · 3 days ago/)
    clock.ms += 24 * 3600 * 1000
    const [later, after] = await shown()
    assert.equal(later, 10)
    assert.match(after, /4 days ago/)
  })
})

test('the status says when its state was published', async (t) => {
  const app = await runApp(t, { releases: releasesOf(statusWith([])) })
  for (const locale of LOCALES) {
    for (const path of ['', '/status']) {
      const markup = parsePage(await (await app.fetch(`/${locale}${path}`)).text())
      const leads = markup.all('.lead').filter((lead) => lead.querySelector('.state') !== null)
      assert.equal(leads.length, 1, path)
      const [time] = leads[0]?.querySelectorAll('time') ?? []
      assert.equal(time?.attribute('datetime'), MOMENT)
    }
  }
})

/** Wallet views that state what they publish, what they withhold, and their boundary. */
function walletWith(
  attached: boolean,
  neverPublished: SnapshotData<'wallet/security'>['neverPublished'],
): MadeContent {
  const head = { attached, summary: 'A wallet.', updatedAt: MOMENT }
  return {
    wallet: {
      ...head,
      networks: [],
      views: [{ id: 'security', path: '/api/v1/wallet/security', summary: 'Controls.' }],
      boundaries: [{ id: 'no-query', title: 'No <live> query', statement: 'None.' }],
    },
    'wallet/architecture': {
      ...head,
      components: [],
      flows: [],
      boundaries: [
        { id: 'no-flow', title: 'No flow between wallet and service', statement: 'None.' },
      ],
    },
    'wallet/security': { ...head, custody: 'own', controls: [], reviews: [], neverPublished },
  }
}

describe('the trust boundary of the wallet', () => {
  for (const locale of LOCALES) {
    test(`shows what is published and what is withheld in ${locale}`, async (t) => {
      const content = walletWith(true, [{ id: 'keys', title: 'Private keys', reason: 'Theft.' }])
      const app = await runApp(t, { releases: releasesOf(content) })
      const page = await readPage(app, 'wallet', locale)
      const picture = pictureIn(page, 'wallet-picture', 'group')
      const targets = Array.from(
        picture.matchAll(/<a href="#([^"]*)"/g),
        ([, target]) => target ?? '',
      )
      const boxes = textsOf(picture, 'a').map((text, index) => [text, targets[index]])
      assert.deepEqual(boxes, [
        ['/wallet/security', 'view-security'],
        ['No <live> query', 'boundary-no-query'],
        ['No flow between wallet and service', 'architecture-boundary-no-flow'],
        ['Private keys', 'never-keys'],
      ])
      for (const target of targets) assert.ok(page.markup.ids.includes(target), target)
      // The operator's texts have no translation here.
      assert.equal(picture.split('lang="en"').length - 1, locale === 'en' ? 0 : 3)
      assert.equal(said(page, 'wallet-picture-text'), TEXTS[locale].picture.walletText)
    })
  }

  test('says that no wallet is attached', async (t) => {
    const content = walletWith(false, [{ id: 'keys', title: 'Private keys', reason: 'Theft.' }])
    const page = await readPage(await runApp(t, { releases: releasesOf(content) }), 'wallet')
    assert.equal(said(page, 'wallet-picture-text'), TEXTS.en.picture.walletTextNone)
  })

  test('is not drawn if nothing is withheld or a view is damaged', async (t) => {
    const content = walletWith(true, [{ id: 'keys', title: 'Private keys', reason: 'Theft.' }])
    for (const releases of [
      releasesOf(walletWith(true, [])),
      releasesOf(content, { damaged: ['wallet'] }),
      releasesOf(content, { damaged: ['wallet/security'] }),
    ]) {
      const { markup } = await readPage(await runApp(t, { releases }), 'wallet')
      assert.equal(markup.all('svg').length, 0)
    }
  })
})

describe('the anatomy of a signed response', () => {
  for (const locale of LOCALES) {
    test(`shows a valid response, in ${locale}`, async (t) => {
      const app = await runApp(t, { releases: releasesOf(statusWith([])) })
      const page = await readPage(app, 'verify', locale)
      const [picture] = page.markup.all('.anatomy[role="img"]')
      const lines = page.markup.all('table.signed-lines tbody tr').map((row) => {
        const [code] = row.querySelectorAll('td code')
        return code === undefined ? '' : textIn(code)
      })
      const signature = said(page, 'sample-signature')
      const key = createPublicKey(TEST_SIGNING_KEY)
      const text = Buffer.from(lines.join('\n'))
      assert.ok(verify(null, text, key, Buffer.from(signature, 'base64')))
      const shown = picture?.querySelectorAll('p').map(textIn).join('\n') ?? ''
      for (const [index, line] of lines.entries()) {
        assert.ok(shown.includes(`${index + 1} ${line}`), line)
      }
      assert.ok(shown.includes(`X-SVC-Signature: ${signature}`))
      const response = await app.fetch('/api/v1/status')
      assert.ok(shown.includes(`ETag: ${response.headers.get('ETag')}`), shown)
      const bytes = Buffer.byteLength(await response.text())
      assert.match(shown, new RegExp(`\\b${bytes}\\b`))
    })
  }

  test('is not drawn if responses are unsigned or the status is damaged', async (t) => {
    for (const parts of [
      { signing: undefined },
      { releases: releasesOf({}, { damaged: ['status'] }) },
    ]) {
      const { markup } = await readPage(await runApp(t, parts), 'verify')
      assert.equal(markup.all('.anatomy').length, 0)
      assert.equal(markup.all('#sample-signature').length, 0)
    }
  })
})
