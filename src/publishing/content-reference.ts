import { stringify } from 'yaml'

import { isTranslatedName, TRANSLATED_SCHEMAS } from '../contract/resource-names.ts'
import type { JsonSchema } from '../contract/schema-type.ts'
import { TRANSLATION_LOCALES } from '../contract/translations.ts'
import { contentFileName } from './content-folder.ts'
import { contentSchema, IMPORT_FIELDS } from './content-schemas.ts'
import { LEAK_RULES } from './leak-rules.ts'
import { SETTINGS_FILE, SETTINGS_SCHEMA } from './publishing-settings.ts'

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')
}

function describeType({
  type,
  format,
  items,
  enum: values,
  additionalProperties,
}: JsonSchema): string {
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(', ')
  if (format === 'date-time') return 'UTC timestamp'
  if (format === 'date') return 'UTC date'
  if (format === 'uri') return 'https URL'
  if (type === 'array')
    return items?.type === 'object' ? 'list' : `list of ${describeType(items ?? {})}`
  if (type === 'object') return typeof additionalProperties === 'object' ? 'map' : 'group'
  if (type === 'boolean') return '`true` or `false`'
  return type === 'integer' ? 'integer' : 'text'
}

function describeLimits({
  type,
  pattern,
  minLength,
  maxLength,
  minimum,
  maximum,
  minItems,
  maxItems,
  uniqueItems,
  format,
}: JsonSchema): string {
  const range = (least: number | undefined, most: number | undefined, unit: string): string => {
    if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`
    if (most !== undefined) return `at most ${most}${unit}`
    return least === undefined ? '' : `at least ${least}${unit}`
  }
  return [
    type === 'string' && format !== 'date' && format !== 'date-time'
      ? range(minLength, maxLength, ' characters')
      : '',
    range(minimum, maximum, ''),
    range(minItems, maxItems, minItems === 1 && maxItems === undefined ? ' item' : ' items'),
    uniqueItems === true ? 'no repeats' : '',
    pattern === undefined || format !== undefined ? '' : `\`${pattern}\``,
  ]
    .filter((each) => each !== '')
    .join('; ')
}

function fieldRows(schema: JsonSchema, prefix: string): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const row = [
      `\`${path}\``,
      describeType(field),
      schema.required?.includes(name) === true ? 'yes' : 'no',
      describeLimits(field),
      field.description ?? '',
    ]
    const inner = field.type === 'array' ? (field.items ?? {}) : field
    return [
      `| ${row.map(cell).join(' | ')} |`,
      ...fieldRows(inner, `${path}${field.type === 'array' ? '[]' : ''}.`),
    ]
  })
}

function fieldTable(schema: JsonSchema): string {
  return [
    '| Field | Type | Required | Limits | Meaning |',
    '|---|---|---|---|---|',
    ...fieldRows(schema, ''),
  ].join('\n')
}

/** A value with every field of a schema, from its examples. */
export function createExample(schema: JsonSchema): unknown {
  if (schema.type === 'object') {
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, field]) => [name, createExample(field)]),
    )
  }
  if (schema.type === 'array') return [createExample(schema.items ?? {})]
  return schema.example ?? schema.enum?.[0] ?? (schema.type === 'boolean' ? false : '')
}

function fileSection(file: string, schema: JsonSchema, about: string): string {
  return `## \`${file}\`

${about}

${fieldTable(schema)}

\`\`\`yaml
${stringify(createExample(schema), { lineWidth: 100 }).trim()}
\`\`\`
`
}

const CSV_EXAMPLE = `\`\`\`yaml
summary: What is being worked on.
updatedAt: 2026-11-21T00:00:00Z
itemsFrom:
  file: queue.csv
  columns: { id: Issue key, title: Summary, summary: Description, kind: Issue Type, state: Status, since: Updated }
  values:
    kind: { Story: feature, Bug: fix }
    state: { To Do: queued, In Progress: in_progress, Closed: skip }
\`\`\``

function importSection(): string {
  const tables = ['changelog', 'development-queue'].map((name) => {
    const field = IMPORT_FIELDS[name]
    return field === undefined
      ? ''
      : `### \`${field.name}\` in \`${name}.yaml\`${name === 'changelog' ? '' : ' and `roadmap.yaml`'}\n\n${field.schema.description ?? ''}\n\n${fieldTable(field.schema)}\n`
  })
  return `## Content from other files

The changelog can come from a Markdown file, the queue and the roadmap from a CSV export. The file is in the content folder, and its mapping in the YAML file. No other part of the file is published. A mistake is reported at the line and column of that file.

${tables.join('\n')}
${CSV_EXAMPLE}
`
}

/** docs/content.md: every file, field and limit of a content folder, from the schemas that publishing checks. */
export function createContentReference(): string {
  const sections = Object.keys(TRANSLATED_SCHEMAS)
    .filter(isTranslatedName)
    .map((name) => {
      const schema = contentSchema(name)
      return fileSection(contentFileName(name), schema, schema.description ?? '')
    })
  const rules = LEAK_RULES.filter(({ allowable }) => allowable).map(
    ({ id, found }) => `| \`${id}\` | ${found} |`,
  )
  return `<!-- Written by \`npm run generate\` from the schemas. Do not edit. -->

# Content

A content folder contains the published data of an organization, one YAML file for each resource. \`svc init DIR\` creates one, \`svc check --content DIR\` checks it, \`svc diff\` shows what publishing it would change, and \`svc publish --note TEXT\` publishes it.

- Text is plain: no Markdown, no HTML. Dates are in UTC: \`2026-11-21\`, \`2026-11-21T08:00:00Z\`.
- Ids are in kebab-case and stay when a title changes, so that readers and translations can refer to them.
- Unknown fields are mistakes. Anchors, aliases, tags, fractions and empty values are not used.
- Every mistake is reported with file, line, column, what was found and what was expected. With a mistake, nothing is published.
- The seven wallet files can be omitted together. The wallet views then say that no wallet is attached.
- \`organization.yaml\` is optional. Without it the pages say that this is a demonstration.

Editors with the YAML language server check files while you write: the first line of each file names its schema in \`.schemas\`. After an upgrade, \`svc init --schemas DIR\` writes the schemas again.

${sections.join('\n')}
${importSection()}
## Translations

\`${TRANSLATION_LOCALES.join('/` and `')}/\` contain translations: files with the same names and only the texts. Items of lists are named by their \`id\` (releases by \`version\`, updates by \`at\`), as a list or as a map. Changes of a release have no id and are matched in order. A text without a translation is shown in English. The data of the API does not change.

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

A digest passes if the text marks it as one: \`sha256:…\`, \`SHA-256 of the file: …\`.
`
}
