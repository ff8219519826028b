import {
  isTranslatedName,
  type ResourceName,
  TRANSLATED_SCHEMAS,
} from '@public-api/contract/registry/resource-names'
import {
  TRANSLATION_LOCALES,
  translateData,
  translationResource,
  type Translations,
} from '@public-api/contract/snapshots/translations'
import type { CompiledResource } from './compile-content.ts'

/**
 * For each locale with translations, the number of texts and of those that are translated. Equal texts of one resource
 * count once.
 */
export function countTranslations(resources: ReadonlyMap<ResourceName, CompiledResource>) {
  return TRANSLATION_LOCALES.flatMap((locale) => {
    const translations = resources.get(translationResource(locale))
    if (translations === undefined) return []
    const overlays = (JSON.parse(translations.text) as Translations).resources
    let [texts, missing] = [0, 0]
    for (const [name, { text }] of resources) {
      if (!isTranslatedName(name)) continue
      const data: unknown = JSON.parse(text)
      const schema = TRANSLATED_SCHEMAS[name]
      texts += translateData(schema, data, undefined).untranslated.size
      missing += translateData(schema, data, overlays[name]).untranslated.size
    }
    return [{ locale, texts, translated: texts - missing }]
  })
}
