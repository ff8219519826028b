import { existsSync } from 'node:fs'
import path from 'node:path'
import { createCommand, UsageError } from '@public-api/cli-kit/command'
import { pluralOf } from '@public-api/cli-kit/wording'
import { TRANSLATION_LOCALES } from '@public-api/contract/snapshots/translations'
import { isTranslationLocale } from '../publishing/translations/translation-record.ts'
import { CONTENT_OPTION, contentFolder, openReleasesFolder } from './releases-folder.ts'

export const command = createCommand({
  usage: ['translations [LOCALE] [options]', 'translations confirm LOCALE FIELD … [options]'],
  about: `Lists the texts without a translation, and the translations whose text changed
after them, with file and line: the pages show the text instead. Without LOCALE,
of each locale that has a folder. With confirm, records that a translation still
fits its text. FIELD is written as in the list, such as status.summary.`,
  options: { content: CONTENT_OPTION },
  takesArguments: true,
  exit: '0 done, 1 mistakes in the content, 2 wrong usage',
  async run({ values, positionals }) {
    const isConfirming = positionals[0] === 'confirm'
    const [locale, ...fields] = isConfirming ? positionals.slice(1) : positionals
    if (isConfirming ? fields.length === 0 : fields.length > 0) {
      throw new UsageError('expected LOCALE, or confirm LOCALE FIELD …')
    }
    if (locale !== undefined && !isTranslationLocale(locale)) {
      throw new UsageError(`${JSON.stringify(locale)} is not a locale of the pages`)
    }
    const contentDir = contentFolder(values.content)
    const { requireContent } = await import('../publishing/releases/publish-release.ts')
    const { formatOutdated, writeTranslationRecord } =
      await import('../publishing/translations/translation-record.ts')
    const { contentMs } = await import('../publishing/releases/published-versions.ts')
    const nowMs = contentMs(openReleasesFolder(undefined).store, Date.now())
    const { translated, outdated, findUntranslated } = await requireContent(contentDir, nowMs)
    const lagging = outdated.filter((text) => locale === undefined || text.locale === locale)
    if (!isConfirming || locale === undefined) {
      const hasFolder = (each: string) => existsSync(path.join(contentDir, each))
      const locales =
        locale === undefined ? TRANSLATION_LOCALES.filter((each) => hasFolder(each)) : [locale]
      const missing = locales.flatMap((each) =>
        findUntranslated(each).map((text) => ({ locale: each, ...text })),
      )
      const counts = `${pluralOf(lagging.length, 'outdated translation')}, ${missing.length} missing`
      return {
        json: { outdated: lagging.map(({ place, ...text }) => ({ ...text, ...place() })), missing },
        lines: [
          `${counts} in ${contentDir}.`,
          ...lagging.map(formatOutdated),
          ...missing.map(
            ({ file, line, column, field, locale: into }) =>
              `${file}:${line}:${column}: ${field}: no translation into ${into}`,
          ),
        ],
      }
    }
    const unknown = fields.find((field) => !lagging.some((text) => text.field === field))
    if (unknown !== undefined) {
      throw new UsageError(`${JSON.stringify(unknown)} is not an outdated translation of ${locale}`)
    }
    const isCurrent = ({ field }: { readonly field: string }) =>
      fields.includes(field) || !lagging.some((text) => text.field === field)
    writeTranslationRecord(contentDir, locale, translated, isCurrent)
    return {
      json: { locale, confirmed: fields },
      lines: [`Confirmed ${pluralOf(fields.length, 'translation')} of ${locale} in ${contentDir}.`],
    }
  },
})
