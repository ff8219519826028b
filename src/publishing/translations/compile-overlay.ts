import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { isTranslatable, type Overlay } from '@public-api/contract/snapshots/translations'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { describeValue, type Fault, fault, type FieldPath } from '../rules/content-mistake.ts'
import { checkText } from '../rules/value-rules.ts'
import { partsOf, type Members, type Refuse, type Translation } from './overlay-parts.ts'
import { isAllPending, isPending } from './translatable-texts.ts'

/** A text of an overlay with the text that it translates. */
export interface OverlayText {
  readonly path: FieldPath
  readonly field: string
  readonly source: string
  readonly translation: string
}

/** The field with the name of a group. */
const GROUP_FIELD = /^components\[[^\]]+\]\.group$/

/**
 * Converts an overlay file to the published overlay, with list items by their key. A list in the file may be a list
 * (each item with its key) or a map from keys. Every text must translate one of `data`; others are faults. A text that is
 * not translated yet (`isPending`) is left out, also if the content no longer has its source.
 */
export function compileOverlay(
  file: JsonValue,
  fileSchema: JsonSchema,
  data: JsonValue,
  isOutdated: (text: OverlayText) => boolean = () => false,
) {
  const faults: Fault[] = []
  const texts: OverlayText[] = []
  const outdated = new Set<OverlayText>()
  const refuse: Refuse = (...about) => void faults.push(fault(...about))

  function compile(translation: Translation): string | Overlay | undefined {
    const { schema } = translation
    if (isTranslatable(schema)) return compileText(translation)
    const compiled = [...partsOf(translation, refuse)].flatMap(([key, part]) => {
      const translated = compile(part)
      return translated === undefined ? [] : [[key, translated] as const]
    })
    return compiled.length === 0 ? undefined : Object.fromEntries(compiled)
  }

  function compileText({ value, schema, path, field, original }: Translation): string | undefined {
    const { maxLength = Number.POSITIVE_INFINITY } = schema
    if (typeof value !== 'string' || value === '') {
      refuse(path, describeValue(value), 'the translated text')
      return ''
    }
    if (Array.from(value).length > maxLength) {
      refuse(path, describeValue(value), `text of at most ${maxLength} characters`)
    }
    faults.push(...checkText(value, path))
    const text = {
      path,
      field,
      source: typeof original === 'string' ? original : '',
      translation: value,
    }
    if (isPending(value)) return undefined
    return publish(text) ? value : undefined
  }

  /** Takes a text. Whether it is published: it is not while its source is newer. */
  function publish(text: OverlayText): boolean {
    texts.push(text)
    const isOld = isOutdated(text)
    if (isOld) outdated.add(text)
    return !isOld
  }

  /** Components of one group have one heading, so its translation at one of them is that of all. */
  function shareGroups(overlay: { [name: string]: string | Overlay }): void {
    const names = new Map<string, OverlayText>()
    for (const text of texts) {
      if (!GROUP_FIELD.test(text.field)) continue
      const first = names.get(text.source)
      if (first !== undefined && first.translation !== text.translation) {
        const found = `another translation of the group ${JSON.stringify(text.source)}`
        refuse(text.path, found, `one for the whole group, as at ${first.field}`)
      }
      names.set(text.source, first ?? text)
    }
    if (names.size === 0) return
    const own = new Set(texts.map(({ field }) => field))
    const items = (data as { readonly components: readonly Members[] }).components
    const translated = { ...(overlay['components'] as Overlay | undefined) }
    for (const { id, group } of items) {
      const text = typeof group === 'string' ? names.get(group) : undefined
      if (typeof id !== 'string') continue
      const field = `components[${id}].group`
      if (text === undefined || own.has(field) || !publish({ ...text, field })) continue
      translated[id] = { ...(translated[id] as Overlay), group: text.translation }
    }
    overlay['components'] = translated
  }

  const root = { value: file, schema: fileSchema, original: data, path: [], field: '' }
  const overlay = isAllPending(file) ? undefined : compile(root)
  if (typeof overlay === 'object') shareGroups(overlay)
  return { overlay: (overlay ?? {}) as Overlay, faults, texts, outdated }
}
