import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { ORGANIZATION_SCHEMA } from '@public-api/contract/snapshots/organization'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import type { PublishedHistory } from '../../src/service/releases/releases.ts'
import { filled, fullContent, releasesOf } from './made-content.ts'

/** Words of which texts are made; the last variant has one word of the whole length. */
const WORDS = {
  words: ['readings-of-the-northern-harbors.gauges.tides.example.org', 'Überwachungsstelle', 'of'],
  thai: ['สถานีตรวจวัดระดับน้ำทะเลชายฝั่งภาคเหนือและระบบพยากรณ์ล่วงหน้า', 'ที่ปรึกษา'],
  chinese: ['国家海洋环境预报中心公共信息公开处', '潮位观测站，'],
  arabic: ['مرصد المد والجزر للساحل الشمالي', 'محطة قياس منسوب المياه', 'API 2.0'],
  unbroken: ['Wasserstandsvorhersagemodellrechnungsergebnisveröffentlichungsstelle'],
} as const

export type LimitVariant = keyof typeof WORDS
export const LIMIT_VARIANTS = Object.keys(WORDS) as LimitVariant[]

/** A text of exactly `length` characters, which begins with its number. */
function longText(variant: LimitVariant, nth: number, length: number): string {
  const between = variant === 'unbroken' ? '' : ' '
  let text = `${nth}${between}`
  for (let index = nth; text.length < length; index += 1) {
    text += `${WORDS[variant][index % WORDS[variant].length]}${between}`
  }
  return Array.from(text).slice(0, length).join('').trimEnd().padEnd(length, 'x')
}

/**
 * Releases in which every text has the length that its schema allows, with 24 components and 50 incidents, all states
 * among them, and a major outage; and an organization with a wide logo.
 */
export function limitReleases(variant: LimitVariant): PublishedHistory {
  const text = (nth: number, length: number) => longText(variant, nth, length)
  const counts = { incidents: 50, updates: 2, components: 24, flows: 24 }
  const content = fullContent(text, counts)
  const { status } = content
  const ids = status.components.map(({ id }) => id)
  const incidents = status.incidents.map((incident, index) => ({
    ...incident,
    components: [ids[index % ids.length] ?? '', ids[(index + 7) % ids.length] ?? ''],
  }))
  const outage = { ...status, state: 'major_outage', incidents } as SnapshotData<'status'>
  const organization = filled(ORGANIZATION_SCHEMA, text, { nth: 0 }) as {
    [name: string]: JsonValue
  }
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="60"><rect width="1000" height="60"/></svg>'
  const site = {
    'site/organization': {
      ...organization,
      site: {},
      logo: {
        mediaType: 'image/svg+xml',
        base64: Buffer.from(svg).toString('base64'),
        width: 1000,
        height: 60,
        alt: text(1, 120),
      },
    } as JsonValue,
  }
  const architecture = withFlows(content.architecture)
  return releasesOf(
    { ...content, status: outage, architecture },
    {
      site,
      note: text(1, 500),
      previous: (resources) => ({ ...resources, architecture: resources.roadmap ?? '' }),
    },
  )
}

/** Flows between components that exist, so that there is a picture. */
function withFlows(architecture: SnapshotData<'architecture'>): SnapshotData<'architecture'> {
  const ids = architecture.components.map(({ id }) => id)
  const flows = architecture.flows.map((flow, index) => ({
    ...flow,
    from: ids[Math.floor(index / 2)] ?? '',
    to: ids[index + 1] ?? ids[0] ?? '',
  }))
  return { ...architecture, flows }
}
