import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createCommand, UsageError } from '@public-api/cli-kit/command'
import { choiceOption, onlyArgument } from '@public-api/cli-kit/option-values'
import { flag } from '@public-api/cli-kit/options'
import { createFile, makeFolder, replaceFile } from '@public-api/client-internal/node/durable-file'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import {
  TRANSLATION_LOCALES,
  type TranslationLocale,
} from '@public-api/contract/snapshots/translations'
import { keepBytesInGit } from '../files/git-files.ts'
import { changeFile } from './new-file.ts'

/** The first file of a folder whose name does not start with a dot; undefined if the folder is missing. Throws a UsageError. */
function findFile(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined
  if (!lstatSync(folder).isDirectory()) throw new UsageError(`${folder} is not a folder`)
  return readdirSync(folder).find((name) => !name.startsWith('.'))
}

/** Throws a UsageError unless a folder may be filled: it is missing, or contains nothing but dot files. */
function requireEmpty(folder: string): void {
  const found = findFile(folder)
  if (found === undefined) return
  throw new UsageError(
    `${folder} is not empty: found ${JSON.stringify(found)}, expected an empty folder`,
  )
}

/** The content of a folder that has its own file for each resource. Rejects with a CommandFailure if it has mistakes. */
async function readContentData(folder: string) {
  const { requireContent } = await import('../publishing/releases/publish-release.ts')
  const { contentFiles } = await import('../publishing/rules/content-folder.ts')
  const { resources } = await requireContent(folder, Date.now())
  return new Map(
    contentFiles(resources.keys()).flatMap(([file, name]) => {
      const { text } = resources.get(name) ?? {}
      const isOwn = text !== undefined && existsSync(path.join(folder, file))
      return isOwn ? [[name, JSON.parse(text) as JsonValue] as const] : []
    }),
  )
}

/** The files to write, by path: of a new folder, and of a locale's translations. */
async function createFiles(folder: string, locale: TranslationLocale | undefined) {
  const { createOverlayFiles, createStarterContent, starterData } =
    await import('../publishing/compile/starter-content.ts')
  if (locale === undefined) {
    requireEmpty(folder)
    return createStarterContent(Date.now())
  }
  if (findFile(folder) !== undefined) {
    const overlays = createOverlayFiles(locale, await readContentData(folder))
    const missing = [...overlays].filter(([name]) => !existsSync(path.join(folder, name)))
    if (missing.every(([name]) => path.basename(name).startsWith('.'))) {
      throw new UsageError(
        `${path.join(folder, locale)} has every file; see svc translations ${locale}`,
      )
    }
    return new Map(missing)
  }
  const files = createStarterContent(Date.now())
  return new Map([...files, ...createOverlayFiles(locale, starterData(files))])
}

export const command = createCommand({
  usage: 'init DIR [options]',
  about: `Creates a content folder to start from: every file with every field and a
comment, JSON Schemas for editors with the YAML language server, and
.gitattributes, so that Git keeps every byte. There are no wallet files, so the
views state that no wallet is attached. DIR must be empty, apart from dotfiles.

With --locale it also creates the files of the folder DIR/LOCALE with every text
to translate, in a content folder that exists as well; files that exist stay. Until a text is translated,
the pages show that of the content; svc translations lists what is missing.`,
  options: {
    locale: choiceOption(
      `LOCALE: also create the translations to fill in:
      ${TRANSLATION_LOCALES.join(' or ')}`,
      TRANSLATION_LOCALES,
    ),
    schemas: flag('write only the schemas, into a content folder that exists'),
  },
  exit: '0 done, 1 failure, 2 wrong usage or a folder that is not empty',
  takesArguments: true,
  async run({ values, positionals }) {
    const folder = onlyArgument(positionals, 'folder')
    const { locale } = values
    if (values.schemas && locale !== undefined) {
      throw new UsageError('expected either --schemas or --locale')
    }
    if (values.schemas && !existsSync(folder)) throw new UsageError(`${folder} does not exist`)
    const { createSchemaFiles } = await import('../publishing/compile/editor-schemas.ts')
    const files = values.schemas ? createSchemaFiles() : await createFiles(folder, locale)
    const locales = locale === undefined ? [] : [path.join(folder, locale)]
    const begun = locales.filter((each) => !existsSync(each))
    try {
      for (const [name, text] of files) {
        const file = path.join(folder, name)
        changeFile(file, () => {
          makeFolder(path.dirname(file))
          if (values.schemas || name.startsWith('.')) return replaceFile(file, text)
          createFile(file, text)
          begun.push(file)
        })
      }
    } catch (error) {
      // A folder with some of its files would be refused by the next run.
      for (const each of begun) rmSync(each, { recursive: true, force: true })
      throw error
    }
    // The bytes of a logo are published.
    const unwritten = values.schemas ? undefined : keepBytesInGit(folder)
    const written = [...files.keys()].filter((name) => !name.startsWith('.'))
    const isNew = written.some((name) => !name.startsWith(`${locale}/`))
    const created = [
      `Created ${folder} with ${written.join(', ')}.`,
      isNew &&
        `Replace every text that starts with TODO, and the addresses of example.org. Then run: svc check --content ${folder}`,
      locale &&
        `The pages show a text of ${folder} until ${locale} has its translation. What is missing lists: svc translations ${locale} --content ${folder}`,
      unwritten && `Warning: ${unwritten}`,
    ]
    return {
      json: { folder, files: written },
      lines: values.schemas ? [`Wrote the schemas of ${folder}.`] : created,
    }
  },
})
