import { formatSnapshotId } from '@public-api/contract/history/version-chain'
import { link } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { plainText, richText } from '../markup/rich-text.ts'
import { linkToService, type PageContext } from '../page.ts'
import { momentHtml } from '../texts/moments.ts'

/**
 * By whom, of how many, and when the newest checkpoint of the log was cosigned, with the offline proof of a version;
 * undefined without a log.
 */
export function logWitnesses(
  { locale, texts, facts }: PageContext,
  sequence: number,
): Html | undefined {
  const { log } = texts
  const { logWitnesses: witnesses } = facts
  if (witnesses === undefined) return undefined
  const { size, total, cosigned } = witnesses
  const number = new Intl.NumberFormat(locale)
  const newest = cosigned
    .map(({ at }) => at)
    .toSorted()
    .at(-1)
  const state =
    newest === undefined
      ? richText(log.alone, { size: number.format(size) })
      : richText(log.cosigned, {
          size: number.format(size),
          count: number.format(cosigned.length),
          total: number.format(total),
          names: cosigned.map(({ name }) => name).join(', '),
          at: momentHtml(locale, newest),
        })
  const version = formatSnapshotId(sequence)
  const proof =
    sequence <= size
      ? linkToService(facts, `/log/proof/${version}.tlog-proof`, plainText(log.proof, { version }))
      : plainText(log.pending, { version })
  return html`<p>${log.text}</p>
    <p>${state}</p>
    <p>${proof}</p>
    <p>${link('/log/policy', log.policy)}</p>`
}
