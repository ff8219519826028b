import path from 'node:path'
import { messageOf } from '@public-api/contract/errors/error-message'
import { record } from '@public-api/contract/schemas/fields'
import { COMPONENT_STATES, INCIDENT_IMPACTS } from '@public-api/contract/snapshots/snapshot-schemas'
import {
  TRANSLATION_LOCALES,
  type TranslationLocale,
} from '@public-api/contract/snapshots/translations'
import type { JsonSchema, SchemaType } from '@public-api/contract/terms/schema-type'
import { listBelow, readBelow } from '../../files/folder-files.ts'
import {
  decodeText,
  isLeftover,
  MAX_FILE_BYTES,
  TEMPLATES_FOLDER,
} from '../rules/content-folder.ts'
import { type ContentMistake, locateFaults, mistakeOf } from '../rules/content-mistake.ts'
import { checkSchema } from '../rules/schema-check.ts'
import { checkText } from '../rules/value-rules.ts'
import { parseYamlSource } from '../rules/yaml-source.ts'
import type { EventTexts } from './edit-overlay.ts'

const text = (maxLength: number, description: string) =>
  ({ type: 'string', minLength: 1, maxLength, description }) as const

const TEXTS = {
  'title?': text(200, 'What happened, or what is planned.'),
  'text?': text(2000, 'What readers should know first.'),
  'summary?': text(500, 'The summary of the whole status meanwhile.'),
} as const

/** Schema of a file in `templates`. */
const TEMPLATE_SCHEMA = record('A text to begin an incident or a maintenance from.', {
  kind: { type: 'string', enum: ['incident', 'maintenance'], description: 'What begins from it.' },
  ...TEXTS,
  'impact?': { type: 'string', enum: INCIDENT_IMPACTS, description: 'Of an incident.' },
  'components?': {
    type: 'object',
    description: 'The affected components by ID, each with its state.',
    additionalProperties: { type: 'string', enum: COMPONENT_STATES },
  },
})

const TRANSLATION_SCHEMA = record('The same in another language.', TEXTS)

type TemplateData = Omit<SchemaType<typeof TEMPLATE_SCHEMA>, 'components'> & {
  readonly components?: { readonly [id: string]: (typeof COMPONENT_STATES)[number] }
}

/** A text to begin an incident or a maintenance from. */
export interface EventTemplate extends TemplateData {
  /** The name of its file. */
  readonly name: string
  readonly translations: ReadonlyMap<TranslationLocale, EventTexts>
}

/** The templates of a content folder that have no mistakes, by name, and the mistakes of the others. */
export function readTemplates(contentDir: string) {
  const mistakes: ContentMistake[] = []

  function read(name: string, schema: JsonSchema): unknown {
    const file = path.join(contentDir, name)
    try {
      const bytes = readBelow(contentDir, name, MAX_FILE_BYTES)
      const decoded = decodeText({ value: { file, bytes }, mistakes: [] })
      const parsed = decoded.value && parseYamlSource(file, decoded.value.text)
      const { value: source } = parsed ?? {}
      const faults = source && [
        ...checkSchema(schema, source.value),
        ...source.texts.flatMap((each) => [...checkText(each.value, each.path)]),
      ]
      const found = [
        ...decoded.mistakes,
        ...(parsed?.mistakes ?? []),
        ...(source && faults ? locateFaults(source.place, faults) : []),
      ]
      mistakes.push(...found)
      return found.length === 0 ? source?.value : undefined
    } catch (error) {
      const found = `an unreadable file (${messageOf(error)})`
      mistakes.push(mistakeOf(file, found, 'a template in YAML'))
      return undefined
    }
  }

  function namesIn(folder: string): readonly string[] {
    try {
      const files = listBelow(contentDir, folder, isLeftover)
        .map(({ name }) => name)
        .filter((name) => !isLeftover(path.basename(name)))
      for (const name of files.filter((each) => !each.endsWith('.yaml'))) {
        const file = path.join(contentDir, folder, name)
        mistakes.push(mistakeOf(file, 'an unknown file', 'NAME.yaml, a template'))
      }
      return files
        .filter((name) => name.endsWith('.yaml'))
        .map((name) => name.slice(0, -'.yaml'.length))
        .toSorted()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  const translated = new Map(
    TRANSLATION_LOCALES.map((locale) => {
      const folder = `${locale}/${TEMPLATES_FOLDER}`
      const texts = namesIn(folder).map(
        (name) => [name, read(`${folder}/${name}.yaml`, TRANSLATION_SCHEMA)] as const,
      )
      return [locale, new Map(texts)] as const
    }),
  )
  const names = namesIn(TEMPLATES_FOLDER)
  for (const [locale, texts] of translated) {
    for (const name of texts.keys()) {
      if (names.includes(name)) continue
      const file = path.join(contentDir, locale, TEMPLATES_FOLDER, `${name}.yaml`)
      mistakes.push(
        mistakeOf(file, 'a translation of no template', `${TEMPLATES_FOLDER}/${name}.yaml`),
      )
    }
  }
  const templates = names.flatMap((name): readonly EventTemplate[] => {
    const data = read(`${TEMPLATES_FOLDER}/${name}.yaml`, TEMPLATE_SCHEMA)
    if (data === undefined) return []
    const translations = new Map(
      [...translated].flatMap(([locale, texts]) => {
        const own = texts.get(name)
        return own === undefined ? [] : [[locale, own as EventTexts] as const]
      }),
    )
    // The schema was checked.
    return [{ ...(data as TemplateData), name, translations }]
  })
  return { templates: new Map(templates.map((each) => [each.name, each])), mistakes }
}
