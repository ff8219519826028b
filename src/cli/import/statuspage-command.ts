import { existsSync } from 'node:fs'
import path from 'node:path'
import {
  CommandFailure,
  type CommandGroup,
  createCommand,
  createGroup,
  UsageError,
} from '@public-api/cli-kit/command'
import { escapeInvisible } from '@public-api/cli-kit/format-json'
import { flag } from '@public-api/cli-kit/options'
import { pluralOf } from '@public-api/cli-kit/wording'
import { createFile } from '@public-api/client-internal/node/durable-file'
import { messageOf } from '@public-api/contract/errors/error-message'
import { parseJson } from '@public-api/contract/json/parse-json'
import { rewriteBelow } from '../../files/folder-files.ts'
import { readRegularFile } from '../../files/read-regular-file.ts'
import { CONTENT_OPTION, contentFolder } from '../releases-folder.ts'
import { mistakeLines } from '../server-failure.ts'

/** Real documents have at most a few hundred kB. */
const MAX_DOCUMENT_BYTES = 8_388_608

function readDocument(file: string): unknown {
  let document: unknown
  try {
    document = parseJson(readRegularFile(file, MAX_DOCUMENT_BYTES))
  } catch (error) {
    throw new CommandFailure('STATUSPAGE', `${file} cannot be read: ${messageOf(error)}`)
  }
  if (document !== undefined) return document
  throw new CommandFailure('STATUSPAGE', `${file} is not JSON; expected a document of a Statuspage`)
}

/** Writes the file complete or not at all. Throws a CommandFailure. */
function writeStatus(file: string, text: string, mayReplace: boolean): void {
  try {
    if (mayReplace) rewriteBelow(path.dirname(file), path.basename(file), text)
    else createFile(file, text, { mode: 0o644 })
  } catch (error) {
    throw new CommandFailure('UNWRITABLE', `${file} could not be written (${messageOf(error)})`)
  }
}

const statuspage = createCommand({
  usage: 'import statuspage FILE … [options]',
  about: `Writes status.yaml from the public data of an Atlassian Statuspage: components,
incidents and scheduled maintenances. The files are its documents
/api/v2/summary.json, incidents.json and scheduled-maintenances.json, in any
order. Says what was not imported, and what svc check would refuse, for review.
Nothing is published.`,
  options: {
    content: CONTENT_OPTION,
    replace: flag('write over a status.yaml that exists'),
  },
  exit: '0 done, 1 failure, 2 wrong usage',
  takesArguments: true,
  async run({ values, positionals }) {
    const url = positionals.find((each) => /^https?:\/\//i.test(each))
    if (positionals.length === 0 || url !== undefined) {
      const found =
        url === undefined ? '' : ', found a URL: download its documents, for example with curl'
      throw new UsageError(`expected files with the documents of a Statuspage${found}`)
    }
    const contentDir = contentFolder(values.content)
    const file = path.join(contentDir, 'status.yaml')
    if (!existsSync(contentDir)) {
      throw new UsageError(`${contentDir} does not exist; create it with svc init`)
    }
    if (existsSync(file) && !values.replace) {
      const advice = 'exists and was left unchanged; --replace writes over it'
      throw new CommandFailure('EXISTS', `${file} ${advice}`)
    }
    const { importStatuspage, formatStatus } = await import('./import-statuspage.ts')
    const { compileMoved } = await import('../../publishing/editing/move-aged-events.ts')
    const { publishedWith } = await import('../../publishing/rules/content-folder.ts')
    const documents = positionals.map(readDocument)
    const { status, notes, counts } = importStatuspage(documents, Date.now())
    writeStatus(file, formatStatus(status), values.replace)
    const { mistakes: all } = await compileMoved(contentDir, Date.now())
    // Its translations and the years before it name items that it may no longer have.
    const isOfStatus = (each: { readonly file: string }) =>
      publishedWith(path.relative(contentDir, each.file)) === 'status'
    const mistakes = all.filter(isOfStatus)
    const parts = [
      pluralOf(counts.components, 'component'),
      pluralOf(counts.incidents, 'incident'),
      pluralOf(counts.maintenances, 'maintenance'),
    ]
    return {
      json: { file, ...counts, notes, mistakes },
      lines: [
        `Wrote ${file}: ${parts.join(', ')}.`,
        notes.length > 0 && 'To review:',
        ...notes.map((note) => `  ${escapeInvisible(note)}`),
        mistakes.length > 0 && `svc check refuses ${pluralOf(mistakes.length, 'text')}:`,
        ...mistakeLines(mistakes),
        `Next: edit ${file}, then svc preview --content ${contentDir}`,
      ],
    }
  },
})

export const command: CommandGroup = createGroup(
  'import',
  'Writes content from the public data of another program, for review.',
  { statuspage: ['write status.yaml from an Atlassian Statuspage', statuspage] },
)
