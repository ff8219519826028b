import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { pathOfPage } from '../addresses.ts'
import { html, type Html, unbroken } from '../markup/html.ts'
import { richText } from '../markup/rich-text.ts'
import { type PageContext } from '../page.ts'
import { formatDay } from '../texts/moments.ts'
import { box, picture } from './picture.ts'

const BOX = { width: 216, height: 104, gap: 32 } as const
const HASH_CHARACTERS = 12

function entryBox({ locale, texts }: PageContext, entry: VersionEntry, index: number): Html {
  const { snapshotId, createdAt, hash, previousHash } = entry
  const t = texts.picture
  const x = index * (BOX.width + BOX.gap) + 1
  const right = x + BOX.width - 14
  const row = (label: string, shown: string, y: number, className: string): Html =>
    html`<text class="picture-label" x="${x + 14}" y="${y}">${label}</text>
      <text class="${className}" x="${right}" y="${y}" text-anchor="end"
        >${shown.slice(0, HASH_CHARACTERS)}</text
      >`
  const day = formatDay(locale, createdAt)
  return html`<a href="${pathOfPage(locale, `history/${snapshotId}`)}">
    ${box(`picture-box${index === 0 ? ' picture-box-main' : ''}`, { ...BOX, x, y: 1 })}
    <text class="picture-name" x="${x + 14}" y="30">${snapshotId}</text>
    <text class="picture-label" x="${right}" y="30" text-anchor="end">${day}</text>
    ${row(t.hash, hash, 62, 'picture-code')}
    ${row(t.previous, previousHash, 88, 'picture-code picture-quiet')}
  </a> `
}

function arrow(index: number): Html {
  const x = index * (BOX.width + BOX.gap) + BOX.width + 2
  return html`<path class="picture-link" d="M${x} 84H${x + BOX.gap - 26}" />
    <circle class="picture-ring" cx="${x + BOX.gap - 19}" cy="84" r="6" />
    <path class="picture-link" d="M${x + BOX.gap - 12} 84H${x + BOX.gap - 2}" />`
}

/** The newest versions, newest first, each linked to the one before it by its hash. */
export function chainPicture(context: PageContext, count: number): Html {
  const { facts } = context
  const t = context.texts.picture
  const entries = facts.newestVersions(count)
  const oldest = entries.at(-1)
  const hasMore = oldest !== undefined && oldest.sequence > 1
  const moreX = entries.length * (BOX.width + BOX.gap)
  return picture({
    id: 'chain-picture',
    title: t.chainTitle,
    description: richText(entries.length > 1 ? t.chainText : t.chainTextOne, {
      first: unbroken(facts.head.snapshotId),
      last: unbroken(oldest?.snapshotId ?? ''),
    }),
    width: hasMore ? moreX + BOX.width - 58 : moreX - BOX.gap + 2,
    height: BOX.height + 2,
    content: html`${entries.map((entry, index) => entryBox(context, entry, index))}
    ${entries.slice(hasMore ? 0 : 1).map((_, index) => arrow(index))}
    ${hasMore && html`<text class="picture-label" x="${moreX + 4}" y="88">${t.earlier}</text>`}`,
  })
}
