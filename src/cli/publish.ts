import { createCommand, UsageError } from '@public-api/cli-kit/command'
import { LINE_EXPECTED, requireOption } from '@public-api/cli-kit/option-values'
import { flag, textOption } from '@public-api/cli-kit/options'
import {
  ONLY_OPTION,
  OVER_OPTION,
  parseResources,
  PUBLICATION_OPTIONS,
  requireNamedReleases,
  runPublication,
} from './publication.ts'
import { contentFolder } from './releases-folder.ts'

function parseServiceUrl(name: string, text: string): URL {
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw new UsageError(`${name} expects the URL of the service, such as https://api.example.org`)
}

export const command = createCommand({
  usage: 'publish --note TEXT [options]',
  about: `Checks the content folder and publishes it as the next version: an entry of the
hash chain and one file for each changed resource. Nothing is written if the
content has a mistake, contains text that looks like a secret, or equals the
newest version. Use svc diff to see the changes before you publish. The content
folder records the version in .published.json, which belongs in version control:
content that is based on an older version is refused.`,
  options: {
    note: {
      ...textOption(`TEXT: one line for readers of the history, which can never be removed;
    required, or --auto-note`),
      short: 'm',
    },
    'auto-note': flag('the note names what changed, and has no text of the content'),
    create: flag('create the releases folder if it does not exist'),
    only: ONLY_OPTION,
    over: OVER_OPTION,
    wait: {
      ...textOption('URL: wait up to 60 seconds until this service serves the version'),
      parse: parseServiceUrl,
    },
    ...PUBLICATION_OPTIONS,
  },
  exit: '0 done or nothing to publish, 1 mistakes or failure, 2 wrong usage',
  async run({ values }) {
    requireNamedReleases(values)
    const { 'auto-note': isMade } = values
    if (isMade && values.note !== undefined) throw new UsageError('expected --note or --auto-note')
    if (!isMade) requireOption('note', values.note, LINE_EXPECTED)
    const { publishRelease } = await import('../publishing/releases/publish-release.ts')
    const contentDir = contentFolder(values.content)
    const { over } = values
    const only = parseResources(values.only)
    return runPublication(
      values,
      (publication) => publishRelease({ contentDir, over, only, ...publication }),
      ({ outcome }) => [
        outcome === 'published' ? `  from ${contentDir}` : `The content is in ${contentDir}.`,
      ],
    )
  },
})
