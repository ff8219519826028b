import type { CatalogError, ErrorCode } from '@public-api/contract/errors/errors'
import { REMEDIES } from '@public-api/contract/errors/remedies'
import type { Endpoint } from '@public-api/contract/registry/endpoints'
import {
  AUTHENTICATIONS,
  ENDPOINT_STATUSES,
  RUNTIMES,
  STABILITY_LEVELS,
  TAGS,
} from '@public-api/contract/terms/endpoint-terms'
import { CACHE_CLASSES } from '@public-api/contract/terms/headers'
import type { Locale } from '@public-api/contract/terms/locales'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { code, html, type Html } from '../markup/html.ts'
import { translationOf } from './translations.ts'

/** The parts of the contract's tables that have texts for pages. */
interface WordedTables {
  readonly registry: { readonly [name: string]: Endpoint }
  readonly errors: { readonly [code: string]: CatalogError }
  readonly requestSchemas: { readonly [name: string]: JsonSchema }
  readonly snapshotSchemas: { readonly [name: string]: JsonSchema }
  readonly dataSchemas: { readonly [name: string]: JsonSchema }
}

/** The descriptions of the fields of a schema, level by level. */
function fieldDescriptions({ properties = {} }: JsonSchema): readonly string[] {
  return Object.values(properties).flatMap((field) => [
    field.description ?? '',
    ...fieldDescriptions(field.items ?? field),
  ])
}

/** Every text of the contract's tables that a page shows, once, in the order of the tables. */
export function contractTextsOf(tables: WordedTables): readonly string[] {
  const texts = [
    ...Object.values(tables.registry).flatMap(({ summary, description, parameter, query = {} }) => [
      summary,
      description,
      ...(parameter === undefined ? [] : [parameter.description]),
      ...Object.values(query).map((each) => each.description ?? ''),
    ]),
    ...[TAGS, STABILITY_LEVELS, ENDPOINT_STATUSES, RUNTIMES, AUTHENTICATIONS].flatMap((table) =>
      Object.values(table),
    ),
    ...Object.values(CACHE_CLASSES).map(({ meaning }) => meaning),
    ...Object.entries(tables.errors).flatMap(([name, { meaning, message }]) => [
      meaning,
      REMEDIES[name as ErrorCode] ?? message,
    ]),
    ...Object.values(tables.requestSchemas).flatMap((schema) => [
      schema.description ?? '',
      ...fieldDescriptions(schema),
    ]),
    ...Object.values(tables.snapshotSchemas).map(({ title = '' }) => title),
    ...Object.values(tables.dataSchemas).flatMap(fieldDescriptions),
  ]
  return [...new Set(texts)].filter((text) => text !== '')
}

/** A text whose code is between backticks, as in CommonMark. */
export function withCode(text: string): Html {
  const pieces = text.split('`')
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? code(piece) : piece))}`
}

/**
 * A text of the contract's tables in a language. Translations are looked up by their English, so a new or reworded
 * text appears in English, marked as such, until it is translated; the check reports it.
 */
export function contractText(locale: Locale, english: string): Html {
  if (locale === 'en') return withCode(english)
  const translated = translationOf(locale, english)
  if (translated === undefined) return html`<span lang="en">${withCode(english)}</span>`
  return withCode(translated)
}

/** The same without markup, for a search. */
export function contractPlainText(locale: Locale, english: string): string {
  return (translationOf(locale, english) ?? english).replaceAll('`', '')
}
