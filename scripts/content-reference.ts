import { createExample } from '@public-api/contract/documents/examples'
import { pastEventsResource } from '@public-api/contract/snapshots/past-events'
import { CHANGELOG_KINDS } from '@public-api/contract/snapshots/snapshot-schemas'
import { TRANSLATION_LOCALES } from '@public-api/contract/snapshots/translations'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { stringify } from 'yaml'
import { IMPORTED_HEADINGS } from '../src/publishing/imports/import-changelog.ts'
import { LEAK_RULES } from '../src/publishing/leaks/leak-rules.ts'
import { contentFiles } from '../src/publishing/rules/content-folder.ts'
import {
  contentSchema,
  IMPORT_FIELDS,
  SETTINGS_FILE,
  SETTINGS_SCHEMA,
} from '../src/publishing/rules/content-schemas.ts'

const FORMATS: { readonly [format: string]: string } = {
  'date-time': 'UTC timestamp',
  date: 'UTC date',
  uri: 'https URL',
}

const TYPES = { boolean: '`true` or `false`', integer: 'integer', string: 'text' } as const

function describeType(schema: JsonSchema): string {
  const { type, format = '', items = {}, enum: values, additionalProperties } = schema
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(', ')
  if (type === 'array') return items.type === 'object' ? 'list' : `list of ${describeType(items)}`
  if (type === 'object') return typeof additionalProperties === 'object' ? 'map' : 'group'
  return FORMATS[format] ?? TYPES[type ?? 'string']
}

function describeRange(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`
  if (most !== undefined) return `at most ${most}${unit}`
  return least === undefined ? '' : `at least ${least}${unit}`
}

function describeLimits(schema: JsonSchema): string {
  const { pattern, minItems, maxItems, uniqueItems, format } = schema
  return [
    format?.startsWith('date') === true
      ? ''
      : describeRange(schema.minLength, schema.maxLength, ' characters'),
    describeRange(schema.minimum, schema.maximum, ''),
    describeRange(
      minItems,
      maxItems,
      minItems === 1 && maxItems === undefined ? ' item' : ' items',
    ),
    uniqueItems === true ? 'no repeats' : '',
    pattern === undefined || format !== undefined ? '' : `\`${pattern}\``,
  ]
    .filter((each) => each !== '')
    .join('; ')
}

function fieldRows(schema: JsonSchema, prefix: string): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const isRequired = schema.required?.includes(name) === true ? 'yes' : 'no'
    const { type, description = '', items = {} } = field
    const cells = [describeType(field), isRequired, describeLimits(field), description].map(
      (text) => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' '),
    )
    const path = `${prefix}${name}`
    return [
      `| \`${path}\` | ${cells.join(' | ')} |`,
      ...(type === 'array' ? fieldRows(items, `${path}[].`) : fieldRows(field, `${path}.`)),
    ]
  })
}

function fieldTable(schema: JsonSchema): string {
  return `| Field | Type | Required | Limits | Meaning |
|---|---|---|---|---|
${fieldRows(schema, '').join('\n')}`
}

function fileSection(file: string, schema: JsonSchema, about: string): string {
  return `## \`${file}\`

${about}

${fieldTable(schema)}

\`\`\`yaml
${stringify(createExample(schema, '$', []), { lineWidth: 100 }).trim()}
\`\`\`
`
}

function importTable(name: string, files: string): string {
  const { name: field, schema } = IMPORT_FIELDS[name] ?? { name: '', schema: {} }
  return `### \`${field}\` in ${files}\n\n${schema.description}\n\n${fieldTable(schema)}\n`
}

/** docs/content.md: every file, field and limit of a content folder, from the schemas that publishing checks. */
export function createContentReference(): string {
  const sections = contentFiles([pastEventsResource('0000')]).map(([file, name]) => {
    const schema = contentSchema(name)
    return fileSection(file.replace('0000', 'YYYY'), schema, schema.description ?? '')
  })
  const rules = LEAK_RULES.filter(({ allowable }) => allowable).map(
    ({ id, found }) => `| \`${id}\` | ${found} |`,
  )
  return `<!-- Written by \`npm run generate\` from the schemas. Do not edit. -->

# Content

A content folder contains the published data of an organization, one YAML file for each resource. \`svc init DIR\` creates one, \`svc check --content DIR\` checks it, \`svc preview\` serves its pages as a draft while you edit, \`svc diff\` shows what publishing it would change, and \`svc publish --note TEXT\` publishes it.

- Text is plain: no Markdown, no HTML. Dates are in UTC: \`2026-11-21\`, \`2026-11-21T08:00:00Z\`.
- Ids are in kebab-case and stay when a title changes, so that readers and translations can refer to them.
- Unknown fields are mistakes. Anchors, aliases, tags, fractions and empty values are not supported.
- A text that contains \` #\` needs quotes. Merge conflicts are mistakes, and what editors and merge tools leave beside a file (\`status.yaml~\`, \`*.orig\`, \`Thumbs.db\`) is ignored.
- Every mistake is reported with file, line, column, what was found and what was expected. With a mistake, nothing is published.
- A status may not contradict itself. A major or critical incident that is \`investigating\` or \`identified\` needs a component that is worse than operational. A component that is worse than operational needs an open incident or a note, and one in \`maintenance\` a maintenance in progress. \`updatedAt\` is not before the newest update. \`svc incident\` and \`svc maintenance\` edit the file and keep these rules ([operating](operating.md#an-incident-at-night)).
- The seven wallet files can be omitted together. The wallet views then say that no wallet is attached.
- \`organization.yaml\` is optional. Without it the pages say that this is a demonstration.

Editors with the YAML language server check files while you write: the first line of each file names its schema in \`.schemas\`. After an upgrade, \`svc init --schemas DIR\` writes the schemas again.

${sections.join('\n')}
## A logo with styles

An SVG with a \`style\` element or attribute is refused. [svgo](https://svgo.dev) converts styles to attributes. Run it outside the content folder:

<!-- Not run by a test: calls svgo, which is not installed here -->
\`\`\`sh
echo 'export default { plugins: [{ name: "inlineStyles", params: { onlyMatchedOnce: false } }, "convertStyleToAttrs"] }' > svgo.config.mjs
npx svgo logo.svg
\`\`\`

## Content from other files

The changelog can come from a Markdown file, the queue and the roadmap from a CSV export. The file is in the content folder, and its mapping in the YAML file. No other part of the file is published. A mistake is reported at the line and column of that file.

${importTable('changelog', '`changelog.yaml`')}

A heading of level 3 is a kind of change (${CHANGELOG_KINDS.map((kind) => `\`${kind}\``).join(', ')}), or one of these:

| heading | kind |
|---|---|
${Object.entries(IMPORTED_HEADINGS)
  .map(([heading, kind]) => `| ${heading} | \`${kind}\` |`)
  .join('\n')}

Items may be bulleted or numbered; nested ones belong to their item. Links are imported by their text, code and emphasis by their content; comments are not. \`[YANKED]\` after the date becomes a change of the kind \`removed\`. Everything else is a mistake with its line: other headings, paragraphs below a kind, code blocks, images, tables, HTML, checkboxes and struck-through text.
${importTable('development-queue', '`development-queue.yaml` and `roadmap.yaml`')}
\`\`\`yaml
summary: What is being worked on.
updatedAt: 2026-11-21T00:00:00Z
itemsFrom:
  file: queue.csv
  columns: { id: Issue key, title: Summary, summary: Description, kind: Issue Type, state: Status, since: Updated }
  values:
    kind: { Story: feature, Bug: fix }
    state: { To Do: queued, In Progress: in_progress, Closed: skip }
\`\`\`

## Translations

\`${TRANSLATION_LOCALES.join('/` and `')}/\` contain translations: files with the same names and only the texts. Items of lists are named by their \`id\` (releases by \`version\`, updates by \`at\`), as a list or as a map. Changes of a release have no id and are matched in order. A text without a translation, with one that starts with \`TODO\`, or with one that is older than the text is shown in English. The name of a group of components is translated once, at any of them. \`svc init DIR --locale ${TRANSLATION_LOCALES[0]}\` writes the files to fill in, and those that are missing in a folder that exists; \`svc translations\` lists what is missing or outdated, and \`svc translations confirm\` records that an older one still fits. The data of the API does not change.

\`\`\`yaml
# th/roadmap.yaml
items:
  client-library:
    title: ไลบรารีสำหรับตรวจสอบ
\`\`\`

${fileSection(SETTINGS_FILE, SETTINGS_SCHEMA, 'Optional settings of the publishing step. This file is never published. Before publishing, a leak guard searches every text for credentials, keys, recovery phrases and addresses. If a refused text is meant to be public, list it here with the rule and the reason. An entry that is no longer needed is a mistake.')}
Rules that allow exceptions:

| Rule | Finds |
|---|---|
${rules.join('\n')}

A digest passes if the text marks it as one: \`sha256:…\`, \`SHA-256 of the file: …\`, \`commit …\`, \`ETag: …\`, the URL of a commit.

## Read as a Statuspage

Programs for Atlassian Statuspage's API, version 2 (aggregators, exporters, menu bar tools, \`@statuspage/status-widget\`) read the published status below \`/statuspage/api/v2/\`: \`summary.json\`, \`status.json\`, \`components.json\`, \`incidents.json\`, \`incidents/unresolved.json\`, \`scheduled-maintenances.json\`, and its \`upcoming\` and \`active\`. They are not part of the API contract and are not signed. Most programs ask for \`/api/v2/…\` at the root of a host: \`deploy/nginx/statuspage.conf\` and \`deploy/caddy/statuspage.Caddyfile\` give a host of its own to them.

| here | there |
|---|---|
| \`operational\`, \`partial_outage\`, \`major_outage\` | the same |
| \`degraded\` | \`degraded_performance\` |
| \`maintenance\` | \`under_maintenance\` |
| \`status.state\` | \`status.indicator\`: \`none\`, \`maintenance\`, \`minor\`, \`major\`, \`critical\` |
| \`status.summary\` | \`status.description\` |
| \`components[].summary\`, \`since\` | \`description\`; \`created_at\` and \`updated_at\` |
| states and impacts of incidents, states of maintenances | the same |
| the components of an event | \`affected_components\` of each update: a list, with the published states before and after the update; empty without components, and for updates older than 90 days |
| every component, also an operational one | \`only_show_if_degraded\` is \`false\`. Readers with an option to hide what is operational show nothing of a healthy service |
| a \`cancelled\` maintenance | left out: the format has no word for it |
| \`components[].note\`, \`status.updatedAt\` of earlier versions | left out |
`
}
