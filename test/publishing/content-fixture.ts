import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createExample } from '@public-api/contract/documents/examples'
import { SNAPSHOT_NAMES, SNAPSHOT_SCHEMAS } from '@public-api/contract/snapshots/snapshot-schemas'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { TestScope } from '../support/test-scope.ts'

/** A moment after every date in the fixtures. */
export const FIXTURE_NOW_MS: number = Date.parse('2026-03-01T12:00:00Z')

/** How most content files begin. */
export const HEAD = 'summary: What it is.\nupdatedAt: 2026-02-01T00:00:00Z\n'
const WALLET = `attached: false\n${HEAD}`

/** An organization.yaml without logo, accent color and links. */
export const ORGANIZATION = `name: Meridian Tide Observatory
url: https://tides.example
description: An observatory that measures the tides.
contact:
  email: contact@tides.example
links: []
privacy:
  controller: Meridian Tide Observatory e. V.
  address: 1 Harbor Road, 00000 Example Town
  contact: { email: privacy@tides.example }
  retention: At most 12 months.
`

/** Small valid content, one text per resource. */
const FIXTURE: { readonly [name: string]: string } = {
  status: `state: operational
${HEAD}components:
  - id: read-api
    name: Read API
    summary: Answers.
    state: operational
    since: 2026-01-01T00:00:00Z
incidents: []
`,
  architecture: `${HEAD}components:
  - id: server
    name: Server
    kind: program
    state: live
    role: Serves.
  - id: reader
    name: Reader
    kind: person
    state: live
    role: Reads.
flows:
  - id: server-to-reader
    from: server
    to: reader
    data: Answers.
    state: live
guarantees: []
boundaries: []
`,
  'development-queue': `${HEAD}items:
  - id: first
    title: First
    summary: Done first.
    kind: feature
    state: in_progress
    priority: 1
    since: 2026-01-01
    roadmapItem: reading
  - id: second
    title: Second
    summary: Done second.
    kind: fix
    state: queued
    priority: 2
    since: 2026-01-01
    blockedBy: [first]
`,
  roadmap: `${HEAD}items:
  - id: reading
    title: Reading
    summary: It can be read.
    horizon: now
  - id: writing
    title: Writing
    summary: It can be written.
    horizon: later
    dependsOn: [reading]
`,
  changelog: `${HEAD}unreleased: []
releases:
  - version: 0.2.0
    date: 2026-02-01
    changes:
      - kind: fixed
        text: It works.
        endpoints: [GET /api/v1/status]
  - version: 0.1.0
    date: 2026-01-01
    changes:
      - kind: added
        text: It exists.
`,
  wallet: `${WALLET}networks: []
views:
${['architecture', 'security', 'evidence', 'capabilities', 'integration', 'development']
  .map((view) => `  - { id: ${view}, path: /api/v1/wallet/${view}, summary: A view. }\n`)
  .join('')}boundaries: []
`,
  'wallet/architecture': `${WALLET}components: []\nflows: []\nboundaries: []\n`,
  'wallet/security': `${WALLET}custody: none\ncontrols: []\nreviews: []\nneverPublished: []\n`,
  'wallet/evidence': `${WALLET}evidence: []\n`,
  'wallet/capabilities': `${WALLET}capabilities:
  - id: query
    title: Query
    summary: Asks a wallet.
    state: never
    needsWallet: true
`,
  'wallet/integration': `${WALLET}interfaces: []\n`,
  'wallet/development': `${WALLET}items: []\n`,
}

/** Writes one file of a content folder. */
export function writeContent(folder: string, name: string, text: string): void {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** A content folder with small valid content. */
export function makeContent(t: TestScope): string {
  const folder = temporaryFolder(t)
  for (const name of SNAPSHOT_NAMES) {
    // JSON is YAML: a snapshot without its own text has the example of its schema, reviewed before the fixture's now.
    const example = createExample(SNAPSHOT_SCHEMAS[name]) as object
    const head = { summary: 'What it is.', updatedAt: '2026-02-01T00:00:00Z' }
    const text = FIXTURE[name] ?? JSON.stringify({ ...example, ...head })
    writeContent(folder, `${name}.yaml`, text)
  }
  return folder
}

/** Replaces a text that stands once in a content file; a test that misses its target fails here. */
export function editContent(folder: string, name: string, from: string, to: string): void {
  const file = path.join(folder, `${name}.yaml`)
  const text = readFileSync(file, 'utf8')
  if (text.split(from).length !== 2) {
    throw new Error(
      `${name}.yaml holds ${JSON.stringify(from)} ${text.split(from).length - 1} times`,
    )
  }
  writeFileSync(
    file,
    text.replace(from, () => to),
  )
}
