import { stringify } from 'yaml'

import { formatDate, formatInstant } from '../contract/instant.ts'
import { WALLET_NAMES } from '../contract/no-wallet.ts'
import { isTranslatedName, TRANSLATED_SCHEMAS } from '../contract/resource-names.ts'
import type { JsonSchema } from '../contract/schema-type.ts'
import { contentFileName } from './content-folder.ts'
import { contentSchema, IMPORT_FIELDS } from './content-schemas.ts'
import { createEditorSchemas, SCHEMAS_FOLDER, schemaLine } from './editor-schemas.ts'
import { SETTINGS_FILE } from './publishing-settings.ts'

const WIDTH = 100

/** A comment of several lines, each of limited width. */
function commentLines(text: string, indent: string): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && indent.length + line.length + word.length + 3 > WIDTH) {
      lines.push(`${indent}# ${line}`)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, `${indent}# ${line}`]
}

/** A field's description with its values and limit. */
function describeField(schema: JsonSchema): string {
  const values = schema.enum === undefined ? '' : ` One of: ${schema.enum.map(String).join(', ')}.`
  const limit =
    schema.maxLength === undefined || schema.format !== undefined || schema.pattern !== undefined
      ? ''
      : ` At most ${schema.maxLength} characters.`
  return `${schema.description ?? ''}${values}${limit}`
}

/** Writes a starter file: required fields with a value, optional ones as comments. */
function formatFields(schema: JsonSchema, nowMs: number): string {
  function valueOf(field: JsonSchema): unknown {
    if (field.format === 'date-time') return formatInstant(nowMs).replace(/\.\d+Z$/, 'Z')
    if (field.format === 'date') return formatDate(nowMs)
    if (field.type === 'boolean') return field.example ?? false
    return field.example ?? field.enum?.[0] ?? ''
  }

  function fieldLines(
    shape: JsonSchema,
    indent: string,
    isFirstInItem: boolean,
  ): readonly string[] {
    const { properties = {}, required = [] } = shape
    const lines: string[] = []
    for (const [index, [name, field]] of Object.entries(properties).entries()) {
      const isRequired = required.includes(name)
      const isDash = isFirstInItem && index === 0
      const lead = isDash ? `${indent.slice(0, -2)}- ` : indent
      if (!isDash) lines.push(...commentLines(describeField(field), indent))
      const written = valueLines(name, field, lead, indent)
      lines.push(
        ...(isRequired || isDash ? written : written.map((line) => commentOut(line, indent))),
      )
    }
    return lines
  }

  function valueLines(
    name: string,
    field: JsonSchema,
    lead: string,
    indent: string,
  ): readonly string[] {
    if (field.type === 'object')
      return [`${lead}${name}:`, ...fieldLines(field, `${indent}  `, false)]
    if (field.type !== 'array') return [`${lead}${name}: ${stringify(valueOf(field)).trim()}`]
    const items = field.items ?? {}
    if (items.type !== 'object') {
      return [`${lead}${name}: [${stringify(valueOf(items)).trim()}]`]
    }
    const item = fieldLines(items, `${indent}    `, true)
    return (field.minItems ?? 0) > 0
      ? [`${lead}${name}:`, ...item]
      : [`${lead}${name}: []`, ...item.map((line) => commentOut(line, indent))]
  }

  return `${fieldLines(schema, '', false).join('\n')}\n`
}

function commentOut(line: string, indent: string): string {
  const rest = line.slice(indent.length)
  return /^\s*#/.test(rest) && rest.startsWith('#') ? line : `${indent}# ${rest}`
}

/** A starter file of a resource, with every field. */
function starterFile(
  file: string,
  schema: JsonSchema & { readonly title?: string },
  nowMs: number,
  more = '',
): string {
  return [
    schemaLine(file),
    ...commentLines(schema.description ?? schema.title ?? '', ''),
    ...(more === '' ? [] : commentLines(more, '')),
    '',
    formatFields(schema, nowMs),
  ].join('\n')
}

/** The files of a new content folder, by path. Without wallet files, no wallet is attached. */
export function createStarterContent(nowMs: number): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const name of Object.keys(TRANSLATED_SCHEMAS).filter(isTranslatedName)) {
    if (WALLET_NAMES.some((wallet) => wallet === name)) continue
    const file = contentFileName(name)
    const field = IMPORT_FIELDS[name]
    const more =
      field === undefined
        ? ''
        : `\`${field.name}\` can take ${field.replaces.join(' and ')} from another file; see docs/content.md.`
    files.set(file, starterFile(file, contentSchema(name), nowMs, more))
  }
  files.set(
    SETTINGS_FILE,
    [
      schemaLine(SETTINGS_FILE),
      '# Settings of the publishing step. This file is never published.',
      '',
      '# Texts that look private but are meant to be public, each with the rule that refuses it and the reason.',
      'allowedTexts: []',
      '',
    ].join('\n'),
  )
  for (const [file, text] of createSchemaFiles()) files.set(file, text)
  return files
}

/** The schemas for editors, by path in the content folder. */
export function createSchemaFiles(): ReadonlyMap<string, string> {
  return new Map(
    [...createEditorSchemas()].map(([file, schema]) => [
      `${SCHEMAS_FOLDER}/${file}`,
      `${JSON.stringify(schema, null, 2)}\n`,
    ]),
  )
}
