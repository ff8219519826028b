import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { CommandFailure, createCommand, EXIT_CODES } from '@public-api/cli-kit/command'
import { formatJson } from '@public-api/cli-kit/format-json'
import { numberOption } from '@public-api/cli-kit/option-values'
import { openLog } from '../logger.ts'
import {
  CONTENT_OPTION,
  contentFolder,
  openReleasesFolder,
  RELEASES_OPTION,
} from './releases-folder.ts'
import { mistakeLines } from './server-failure.ts'

export const command = createCommand({
  usage: 'preview [options]',
  about: `Serves the pages and the API on this machine as they would be after publishing
the content folder, marked as a draft. A saved file is visible in the open page
within a second; mistakes appear on the page and here, above the last content
without mistakes. Nothing is written, and responses are signed with a key for
this run alone. Ctrl+C ends it.`,
  options: {
    content: CONTENT_OPTION,
    releases: RELEASES_OPTION,
    port: {
      ...numberOption('N: the port on 127.0.0.1; 0 for any free one', [0, 65_535]),
      default: '8081',
    },
  },
  json: 'print each change as one JSON object',
  exit: '0 ended by a signal, 1 failure, 2 wrong usage',
  async run({ values }, output) {
    const contentDir = contentFolder(values.content)
    if (!existsSync(contentDir)) {
      throw new CommandFailure(
        'CONTENT',
        `${contentDir}: expected a content folder, found none; create one with svc init`,
      )
    }
    const { openPreview } = await import('../preview/open-preview.ts')
    const { store } = openReleasesFolder(values.releases)
    const preview = await openPreview({
      contentDir,
      published: store,
      port: values.port,
      log: openLog({ logLevel: 'error' }),
      onChange({ title, mistakes }) {
        if (values.json) output.out(formatJson({ title, mistakes }))
        else for (const line of [`Draft ${title}`, ...mistakeLines(mistakes)]) output.out(line)
      },
    }).catch((error: unknown) => {
      throw new CommandFailure('PREVIEW', (error as Error).message)
    })
    if (values.json) output.out(formatJson({ url: preview.origin }))
    else output.out(`Preview of ${contentDir} at ${preview.origin}/en`)
    const ended = new AbortController()
    await Promise.race(
      ['SIGINT', 'SIGTERM'].map((signal) => once(process, signal, { signal: ended.signal })),
    )
    ended.abort()
    await preview.close()
    return EXIT_CODES.done
  },
})
