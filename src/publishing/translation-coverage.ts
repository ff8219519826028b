import type { JsonValue } from '../contract/canonical-json.ts'
import {
  isTranslatedName,
  type ResourceName,
  TRANSLATED_SCHEMAS,
} from '../contract/resource-names.ts'
import {
  type Overlay,
  TRANSLATION_LOCALES,
  type TranslationLocale,
  translateData,
  translationResource,
  type Translations,
} from '../contract/translations.ts'
import type { CompiledResource } from './compile-content.ts'

/** The share of the content that is translated into a locale. Equal texts of one resource count once. */
export interface TranslationCoverage {
  readonly locale: TranslationLocale
  readonly translated: number
  readonly texts: number
}

/** Counts translations, for each locale that has any. */
export function countTranslations(
  resources: ReadonlyMap<ResourceName, CompiledResource>,
): readonly TranslationCoverage[] {
  return TRANSLATION_LOCALES.flatMap((locale) => {
    const text = resources.get(translationResource(locale))?.text
    if (text === undefined) return []
    const overlays = (JSON.parse(text) as Translations).resources
    const missing = (overlayOf: (name: string) => Overlay | undefined): number => {
      let count = 0
      for (const [name, resource] of resources) {
        if (!isTranslatedName(name)) continue
        const data = JSON.parse(resource.text) as JsonValue
        count += translateData(TRANSLATED_SCHEMAS[name], data, overlayOf(name)).untranslated.size
      }
      return count
    }
    const texts = missing(() => undefined)
    return [{ locale, texts, translated: texts - missing((name) => overlays[name]) }]
  })
}
