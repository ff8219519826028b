import { existsSync, lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'

import { makeFolder } from '../storage/sync-folder.ts'
import { createFile, replaceFile } from '../storage/whole-file.ts'
import { onlyArgument } from '@public-api/command/option-values'
import { createCommand, UsageError } from '@public-api/command/command'
import { flag } from '@public-api/command/options'
import { changeFile } from './new-file.ts'

/** Throws a UsageError unless a folder may be filled: it is missing, or contains nothing but dot files. */
function requireEmpty(folder: string): void {
  if (!existsSync(folder)) return
  if (!lstatSync(folder).isDirectory()) throw new UsageError(`${folder} is not a folder`)
  const found = readdirSync(folder).find((name) => !name.startsWith('.'))
  if (found === undefined) return
  throw new UsageError(
    `${folder} is not empty: found ${JSON.stringify(found)}, expected an empty folder`,
  )
}

export const command = createCommand({
  usage: 'init DIR [options]',
  about: `Creates a content folder to start from: every file with every field and a
comment, and JSON Schemas for editors with the YAML language server. There are
no wallet files, so the views state that no wallet is attached. A folder that
contains other files than dot files is refused.`,
  options: {
    schemas: flag('write only the schemas, into a content folder that exists'),
  },
  exit: '0 done, 1 failure, 2 wrong usage or a folder that is not empty',
  takesArguments: true,
  async run({ values, positionals }) {
    const folder = onlyArgument(positionals, 'folder')
    if (values.schemas && !existsSync(folder)) throw new UsageError(`${folder} does not exist`)
    if (!values.schemas) requireEmpty(folder)
    const { createSchemaFiles } = await import('../publishing/editor-schemas.ts')
    const { createStarterContent } = await import('../publishing/starter-content.ts')
    const files = values.schemas ? createSchemaFiles() : createStarterContent(Date.now())
    for (const [name, text] of files) {
      const file = path.join(folder, name)
      changeFile(file, () => {
        makeFolder(path.dirname(file))
        if (values.schemas || name.startsWith('.')) replaceFile(file, text)
        else createFile(file, text, {}, 'claim')
      })
    }
    const written = [...files.keys()].filter((name) => !name.startsWith('.'))
    const created = [
      `Created ${folder} with ${written.join(', ')}.`,
      `Replace every text that starts with TODO, and the addresses of example.org. Then run: svc check --content ${folder}`,
    ]
    return {
      json: { folder, files: written },
      lines: values.schemas ? [`Wrote the schemas of ${folder}.`] : created,
    }
  },
})
