import { CommandFailure, createCommand, UsageError } from '@public-api/cli-kit/command'
import { flag } from '@public-api/cli-kit/options'
import { pluralOf } from '@public-api/cli-kit/wording'
import {
  isTranslatedName,
  type ResourceName,
  translatedSchema,
  translationsOf,
} from '@public-api/contract/registry/resource-names'
import { isPastEventsName } from '@public-api/contract/snapshots/past-events'
import {
  type Overlay,
  TRANSLATION_LOCALES,
  translateData,
  translationResource,
  type Translations,
} from '@public-api/contract/snapshots/translations'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import type { CompiledResource } from '../publishing/compile/compile-content.ts'
import { CONTENT_OPTION, contentFolder, openReleasesFolder } from './releases-folder.ts'
import { mistakeLines } from './server-failure.ts'

/**
 * For each locale with translations, the number of texts and of those that are translated. Equal texts of one resource
 * count once.
 */
function countTranslations(resources: ReadonlyMap<ResourceName, CompiledResource>) {
  const originals = [...resources].flatMap(([name, { data }]) => {
    if (!isTranslatedName(name)) return []
    const schema: JsonSchema = translatedSchema(name)
    const missing = (overlay?: Overlay) => translateData(schema, data, overlay).untranslated.size
    return [{ name, missing, texts: missing() }]
  })
  return TRANSLATION_LOCALES.flatMap((locale) => {
    const overlaysIn = (resource: ResourceName) =>
      (resources.get(resource)?.data as Translations | undefined)?.resources ?? {}
    const overlays = overlaysIn(translationResource(locale))
    if (Object.keys(overlays).length === 0) return []
    let [texts, untranslated] = [0, 0]
    for (const { name, missing, texts: count } of originals) {
      const own = isPastEventsName(name) ? overlaysIn(translationsOf(locale, name)) : overlays
      texts += count
      untranslated += missing(own[name])
    }
    return [{ locale, texts, translated: texts - untranslated }]
  })
}

export const command = createCommand({
  usage: ['check [--content DIR] [options]', 'check --config [options]'],
  about: `Checks the content folder as publishing would: YAML, fields, references,
translations, the logo and the leak guard. With --config, checks the SVC_
variables, the folders, the secrets and the releases as a start of the service
would.
Nothing is written.`,
  options: {
    content: CONTENT_OPTION,
    config: flag('check the configuration and the secrets instead'),
  },
  exit: '0 no mistakes, 1 mistakes or failure, 2 wrong usage',
  async run({ values }) {
    if (values.config) {
      if (values.content !== undefined) {
        throw new UsageError('expected either --content or --config')
      }
      const { checkConfiguration } = await import('./check-config.ts')
      return checkConfiguration()
    }
    const content = contentFolder(values.content)
    const { compileMoved } = await import('../publishing/editing/move-aged-events.ts')
    const { readBase, readKnownFiles } = await import('../publishing/releases/content-base.ts')
    const { readTemplates } = await import('../publishing/editing/event-templates.ts')
    const { requireUnredacted } = await import('../publishing/releases/select-resources.ts')
    const { contentMs } = await import('../publishing/releases/published-versions.ts')
    const { store } = openReleasesFolder(undefined)
    const known = readKnownFiles(content, store)
    const compiled = await compileMoved(content, contentMs(store, Date.now()), { known })
    const { resources, outdated, warnings } = compiled
    const mistakes = [...compiled.mistakes, ...readTemplates(content).mistakes]
    if (mistakes.length > 0) {
      throw new CommandFailure(
        'CONTENT',
        `${content} has ${pluralOf(mistakes.length, 'mistake')}`,
        { details: mistakeLines(mistakes), members: { mistakes } },
      )
    }
    // A publication refuses these before it writes.
    readBase(content, [])
    requireUnredacted(store, resources)
    const translations = countTranslations(resources)
    return {
      json: { content, resources: [...resources.keys()], translations, outdated, warnings },
      lines: [
        `${content} has no mistakes: ${pluralOf(resources.size, 'resource')}.`,
        ...translations.map(
          ({ locale, translated, texts }) =>
            `  ${locale}: ${translated} of ${pluralOf(texts, 'text')} translated`,
        ),
        ...warnings.map((warning) => `Warning: ${warning}`),
      ],
    }
  },
})
