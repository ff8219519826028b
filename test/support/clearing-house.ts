import { createServer } from 'node:http'
import { createClient } from '@public-api/client-internal/client'
import { COPY_SCHEMA } from '@public-api/client-internal/copies/copy-proof'
import { fetchCopyProof } from '@public-api/client-internal/copies/fetch-copy-proof'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { listCopyFiles } from '../../src/copy/copy-source.ts'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { listen } from '../../src/http/connection/listener.ts'
import type { PublishedHistory } from '../../src/service/releases/releases.ts'
import { closeServer } from './loopback-server.ts'
import { releasesOf } from './made-content.ts'
import { runApp, TEST_SIGNING_KEY } from './running-app.ts'
import type { TestScope } from './test-scope.ts'

type Status = SnapshotData<'status'>
type Component = Status['components'][number]

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60

/** Names of the components by id: group, English, Thai and Chinese. */
const COMPONENTS = {
  'card-authorization': ['Payments', 'Card authorization', 'การอนุมัติบัตร', '银行卡授权'],
  transfers: ['Payments', 'Transfers', 'การโอนเงิน', '转账'],
  'direct-debit': ['Payments', 'Direct debit', 'การหักบัญชีอัตโนมัติ', '直接扣款'],
  refunds: ['Payments', 'Refunds', 'การคืนเงิน', '退款'],
  settlement: ['Payments', 'Settlement', 'การชำระบัญชี', '结算'],
  'bank-gateway': ['Connections', 'Bank gateway', 'เกตเวย์ธนาคาร', '银行网关'],
  webhooks: ['Connections', 'Webhooks', 'เว็บฮุก', 'Webhook'],
  'file-exchange': ['Connections', 'File exchange', 'การแลกเปลี่ยนไฟล์', '文件交换'],
  sandbox: ['Connections', 'Sandbox', 'ระบบทดสอบ', '沙盒'],
  'public-api': ['Public record', 'Public API', 'API สาธารณะ', '公共 API'],
  pages: ['Public record', 'Pages', 'หน้าเว็บ', '页面'],
  archive: ['Public record', 'Archive', 'คลังข้อมูล', '档案'],
} as const

type ComponentId = keyof typeof COMPONENTS

const GROUPS: { readonly [name: string]: readonly [thai: string, chinese: string] } = {
  Payments: ['การชำระเงิน', '支付'],
  Connections: ['การเชื่อมต่อ', '连接'],
  'Public record': ['ข้อมูลสาธารณะ', '公共记录'],
}

const STATES: { readonly [id in ComponentId]?: Component['state'] } = {
  'card-authorization': 'major_outage',
  transfers: 'partial_outage',
  refunds: 'degraded',
  'bank-gateway': 'maintenance',
  webhooks: 'degraded',
}

/** Texts of the status in English, Thai and Chinese. */
const TEXTS = {
  summary: [
    'Most card payments are declined. Transfers between some banks are late.',
    'การชำระเงินด้วยบัตรส่วนใหญ่ถูกปฏิเสธ การโอนเงินระหว่างธนาคารบางแห่งล่าช้า',
    '多数银行卡支付被拒绝。部分银行之间的转账延迟。',
  ],
  cards: [
    'Most card payments are declined',
    'การชำระเงินด้วยบัตรส่วนใหญ่ถูกปฏิเสธ',
    '多数银行卡支付被拒绝',
  ],
  cardsIdentified: [
    'A certificate of the card network was replaced at 15:20 UTC and is refused by our northern data center. We are moving the traffic to the southern one.',
    'ใบรับรองของเครือข่ายบัตรถูกเปลี่ยนเมื่อ 15:20 UTC และศูนย์ข้อมูลทางเหนือของเราปฏิเสธใบรับรองนี้ เรากำลังย้ายการรับส่งข้อมูลไปยังศูนย์ข้อมูลทางใต้',
    '卡组织的证书于 15:20 UTC 更换，被北数据中心拒绝。我们正在把流量转移到南数据中心。',
  ],
  cardsFirst: [
    'Card payments fail. We are looking into it.',
    'การชำระเงินด้วยบัตรล้มเหลว เรากำลังตรวจสอบ',
    '银行卡支付失败。我们正在调查。',
  ],
  hooks: [
    'Webhooks are late by up to eleven minutes',
    'เว็บฮุกล่าช้าสูงสุดสิบเอ็ดนาที',
    'Webhook 最多延迟十一分钟',
  ],
  hooksText: [
    'The queue is longer than usual and is being processed.',
    'คิวยาวกว่าปกติและกำลังประมวลผล',
    '队列比平时长，正在处理。',
  ],
  statements: ['Statements were incomplete', 'ใบแจ้งยอดไม่ครบถ้วน', '对账单不完整'],
  statementsText: [
    'A job ran twice and skipped 212 statements. They were sent again, and all are complete now.',
    'งานทำงานสองครั้งและข้ามใบแจ้งยอด 212 ฉบับ เราส่งอีกครั้งแล้ว และขณะนี้ครบถ้วนทั้งหมด',
    '一个任务运行了两次，漏掉了 212 份对账单。已重新发送，现在全部完整。',
  ],
  gateway: [
    'Upgrade of the bank gateway in the northern data center',
    'การอัปเกรดเกตเวย์ธนาคารในศูนย์ข้อมูลทางเหนือ',
    '北数据中心银行网关升级',
  ],
  gatewayText: [
    'Two banks are connected by the southern data center meanwhile.',
    'ระหว่างนี้ธนาคารสองแห่งเชื่อมต่อผ่านศูนย์ข้อมูลทางใต้',
    '期间两家银行通过南数据中心连接。',
  ],
  network: [
    'Network maintenance in both data centers',
    'การบำรุงรักษาเครือข่ายในศูนย์ข้อมูลทั้งสองแห่ง',
    '两个数据中心的网络维护',
  ],
} as const

const LONG_NAME = [
  'Interbank Clearing and Settlement House of the Northern and Southern Provinces',
  'สำนักหักบัญชีและชำระดุลระหว่างธนาคารแห่งจังหวัดภาคเหนือและภาคใต้',
  '南北各省银行间清算与结算中心',
] as const

/** A translation: 1 for Thai, 2 for Chinese. */
type Language = 1 | 2

function overlayOf(status: Status, language: Language): JsonValue {
  const known = new Map<string, string>(
    Object.values(TEXTS).map((texts) => [texts[0], texts[language]]),
  )
  const translated = (text: string): string => known.get(text) ?? text
  const event = ({
    title,
    updates,
  }: {
    readonly title: string
    readonly updates: readonly { readonly at: string; readonly text: string }[]
  }) => ({
    title: translated(title),
    updates: Object.fromEntries(updates.map(({ at, text }) => [at, { text: translated(text) }])),
  })
  const byId = <Item extends { readonly id: string }>(
    items: readonly Item[],
    toOverlay: (item: Item) => JsonValue,
  ) => Object.fromEntries(items.map((item) => [item.id, toOverlay(item)]))
  return {
    summary: translated(status.summary),
    components: byId(status.components, ({ id, group = '' }) => {
      const name = COMPONENTS[id as ComponentId][language + 1] ?? ''
      return { name, summary: name, group: GROUPS[group]?.[language - 1] ?? group }
    }),
    incidents: byId(status.incidents, event),
    maintenances: byId(status.maintenances ?? [], event),
  }
}

/**
 * Releases of a clearing house with a long name: a critical and a minor incident are open, a maintenance is running and one is
 * planned, an incident ended a few hours ago, one was removed, and the waitlist is closed. In three languages.
 */
function clearingHouse(nowMs: number): PublishedHistory {
  const ago = (minutes: number): string =>
    new Date(Math.floor(nowMs / MINUTE_MS) * MINUTE_MS - minutes * MINUTE_MS)
      .toISOString()
      .replace('.000Z', 'Z')
  const first = ago(400 * DAY_MINUTES)
  const components = Object.entries(COMPONENTS).map(([id, [group, name]]) => {
    const state = STATES[id as ComponentId] ?? 'operational'
    return {
      id,
      group,
      name,
      summary: `${name} between the banks and their customers.`,
      state,
      since: state === 'operational' ? first : ago(171),
    }
  })
  const resolved: Status['incidents'][number] = {
    id: 'statements-incomplete',
    title: TEXTS.statements[0],
    state: 'resolved',
    impact: 'minor',
    startedAt: ago(9 * 60),
    resolvedAt: ago(6 * 60),
    components: ['file-exchange'],
    updates: [
      { at: ago(6 * 60), state: 'resolved', text: TEXTS.statementsText[0] },
      { at: ago(8 * 60), state: 'investigating', text: TEXTS.hooksText[0] },
    ],
  }
  const removed: Status['incidents'][number] = {
    ...resolved,
    id: 'false-alarm',
    title: 'A false alarm',
    startedAt: ago(20 * DAY_MINUTES),
    resolvedAt: ago(20 * DAY_MINUTES - 30),
    components: ['bank-gateway'],
    updates: [{ at: ago(20 * DAY_MINUTES - 30), state: 'resolved', text: 'Nothing had happened.' }],
  }
  const open: Status['incidents'] = [
    {
      id: 'cards-declined',
      title: TEXTS.cards[0],
      state: 'identified',
      impact: 'critical',
      startedAt: ago(171),
      components: ['card-authorization', 'transfers', 'refunds'],
      updates: [
        { at: ago(122), state: 'identified', text: TEXTS.cardsIdentified[0] },
        { at: ago(165), state: 'investigating', text: TEXTS.cardsFirst[0] },
      ],
    },
    {
      id: 'webhooks-late',
      title: TEXTS.hooks[0],
      state: 'monitoring',
      impact: 'minor',
      startedAt: ago(260),
      components: ['webhooks'],
      updates: [{ at: ago(240), state: 'monitoring', text: TEXTS.hooksText[0] }],
    },
  ]
  const night = Math.floor(nowMs / (DAY_MINUTES * MINUTE_MS)) * DAY_MINUTES * MINUTE_MS
  // From 21:00 to 03:00 of the next day in Bangkok.
  const at = (hours: number): string =>
    new Date(night + hours * 60 * MINUTE_MS).toISOString().replace('.000Z', 'Z')
  const status: Status = {
    state: 'major_outage',
    summary: TEXTS.summary[0],
    updatedAt: ago(122),
    components,
    incidents: [...open, resolved],
    maintenances: [
      {
        id: 'network-maintenance',
        title: TEXTS.network[0],
        state: 'scheduled',
        startsAt: at(7 * 24 + 14),
        endsAt: at(7 * 24 + 20),
        components: ['bank-gateway', 'webhooks'],
        updates: [{ at: ago(3 * DAY_MINUTES), state: 'scheduled', text: TEXTS.gatewayText[0] }],
      },
      {
        id: 'gateway-upgrade',
        title: TEXTS.gateway[0],
        state: 'in_progress',
        startsAt: at(-10),
        endsAt: at(24 + 20),
        components: ['bank-gateway'],
        updates: [{ at: ago(180), state: 'in_progress', text: TEXTS.gatewayText[0] }],
      },
    ],
  }
  const calm = {
    ...status,
    state: 'operational' as const,
    components: components.map((each) => ({
      ...each,
      state: 'operational' as const,
      since: first,
    })),
    maintenances: [],
  }
  const organization = {
    name: LONG_NAME[0],
    url: 'https://clearing.example',
    description: 'Clears and settles payments between the banks of two provinces.',
    accentColor: { light: '#1d5b8f', dark: '#93bdea' },
    contact: { email: 'desk@clearing.example' },
    links: [],
    privacy: {
      controller: LONG_NAME[0],
      address: '1 Harbor Road',
      contact: { email: 'privacy@clearing.example' },
      retention: 'Twelve months.',
    },
  }
  const translations = (locale: string, language: Language): JsonValue => ({
    locale,
    resources: {
      status: overlayOf(status, language),
      'site/organization': { name: LONG_NAME[language] },
    },
  })
  return releasesOf(
    { status },
    {
      earlier: [
        { createdAt: first, status: { ...calm, incidents: [] } },
        { createdAt: ago(19 * DAY_MINUTES), status: { ...calm, incidents: [removed] } },
        { createdAt: ago(18 * DAY_MINUTES), status: { ...calm, incidents: [] } },
      ],
      createdAt: ago(122),
      note: 'Identified: card payments.',
      site: {
        'site/organization': organization,
        'site/early-access': { state: 'closed', text: 'The list is full.' },
        'site/translations/th': translations('th', 1),
        'site/translations/zh-CN': translations('zh-CN', 2),
      },
    },
  )
}

const MEDIA_TYPES: { readonly [extension: string]: string } = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
  json: 'application/json',
  svg: 'image/svg+xml',
}

/** Serves the files of a copy as static hosts do. Resolves with the origin. */
async function serveFiles(t: TestScope, files: ReadonlyMap<string, Buffer>): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const target = url.split('?')[0] ?? ''
    const name = files.has(target) ? target : target.replace(/\/?$/, '/index.html')
    const body = files.get(name)
    const type = MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
    response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': type }).end(body)
  })
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => closeServer(server))
  return `http://127.0.0.1:${port}`
}

/** Runs the service of the clearing house in its outage, and a copy of it with a proof, with the clock of this machine. */
export async function openOutage(
  t: TestScope,
): Promise<{ readonly service: string; readonly copy: string }> {
  const releases = clearingHouse(Date.now())
  const clock = { nowMs: () => Date.now() }
  const { origin } = await runApp(t, { releases, clock })
  const { keyId } = derivePublicSigningKey(TEST_SIGNING_KEY)
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const made = { releases, cards: [], program: 'of the test', origin, baseUrl: undefined }
  const files = new Map<string, Buffer>()
  for await (const { file, make } of listCopyFiles({ ...made, keyId, clock, log })) {
    if (/^(?:assets|en|th|zh-CN|search)\b/.test(file))
      files.set(`/${file}`, Buffer.from(await make()))
  }
  const client = createClient({ baseUrl: origin })
  const { entry: _, ...proof } = await fetchCopyProof(client)
  files.set('/now.json', Buffer.from(JSON.stringify({ ...proof, schema: COPY_SCHEMA })))
  return { service: origin, copy: await serveFiles(t, files) }
}
