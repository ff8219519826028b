import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import {
  CommandFailure,
  createCommand,
  EXIT_CODES,
  type ExitCode,
  UsageError,
} from '@public-api/cli-kit/command'
import { textOption, textOptions } from '@public-api/cli-kit/options'
import { withProgress } from '@public-api/cli-kit/progress'
import { parseBase, parsePins } from '@public-api/cli/src/verifying/address.ts'
import { messageOf } from '@public-api/contract/errors/error-message'
import { readConfig } from './database.ts'
import { openReleasesFolder, RELEASES_OPTION } from './releases-folder.ts'

/**
 * How much the heap of V8 grows between two full collections, in percent. By default it grows until the copy of a long
 * history takes 60 MB more, at the same speed.
 */
const HEAP_GROWTH = '--heap-growing-percent=30'

/** Nothing is logged: what a page cannot show ends the run. */
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** `svc site`: a static copy of the service, which outlives it. */
export const command = createCommand({
  usage: 'site DIR [options]',
  about: `Writes a static copy of the service into DIR from the releases folder, without a
network: pages in all languages, feeds, calendar, badge, search, archive, log. Any
static host serves it. Only what changed is written. With --now, the copy also gets
now.json: signed responses of the service that prove that its content was the newest
at that moment. Readers and the pages of the copy verify it. Without --now, SVC_BASE_URL
names the service that the links and the canonical addresses lead to.`,
  options: {
    releases: RELEASES_OPTION,
    now: textOption('URL: ask this service for its newest version, and keep the proof'),
    'base-url': textOption('URL: the origin of the copy, such as https://status.example.net'),
    pin: textOptions(`KEYID: the key that the service signs with; pages name the first one.
  Repeat it during a rotation`),
  },
  exit: `0 written or unchanged, 1 failed, 2 wrong usage, 3 the pages are written and the service
    could not be asked, or was behind`,
  takesArguments: true,
  async run({ values, positionals }, output) {
    const [folder, ...rest] = positionals
    if (folder === undefined || rest.length > 0) throw new UsageError('expected one folder')
    const { baseUrl: configured } = readConfig(['SVC_BASE_URL'])
    const named = values.now ?? configured
    if (named === undefined) {
      throw new UsageError('expected --now URL or SVC_BASE_URL: the service that this is a copy of')
    }
    const origin = parseBase(named)
    const pins = parsePins(values.pin) ?? []
    const own = values['base-url']
    const base = own === undefined ? undefined : parseBase(own)
    const { folder: releasesDir } = openReleasesFolder(values.releases)
    const { openReleasesCopy } = await import('../copy/copy-releases.ts')
    const { CopyFailure } = await import('../copy/copy-list.ts')
    const { withCopyFolder } = await import('../copy/write-copy.ts')
    const fail = (error: unknown, exitCode: ExitCode = EXIT_CODES.failure) =>
      new CommandFailure('COPY', messageOf(error), { exitCode })
    setFlagsFromString(HEAP_GROWTH)
    const place = path.resolve(folder)
    const settings = {
      origin,
      baseUrl: base,
      keyId: pins[0],
      clock: { nowMs: () => Date.now() },
      log: SILENT,
    }
    const write = async () => {
      const copy = openReleasesCopy(releasesDir, settings)
      const written = await withProgress('Writing', copy.expectedFiles, (progress) =>
        copy.write(place, () => progress.advance(1)),
      )
      return { ...written, snapshotId: copy.snapshotId }
    }
    return withCopyFolder(place, async () => {
      const report = await write()
      const { snapshotId, files, written, removed } = report
      const lines = [
        `${folder}: ${files} files of ${snapshotId}; ${written} written, ${removed} removed.`,
      ]
      if (values.now === undefined) return { json: report, lines }
      try {
        const { proveCopy } = await import('../copy/prove-copy.ts')
        const proof = await proveCopy(place, origin, pins)
        return {
          json: { ...report, proved: proof.snapshotId },
          lines: [...lines, `now.json: ${proof.snapshotId} is the newest version of ${origin}.`],
        }
      } catch (error) {
        for (const line of lines) output.out(line)
        throw fail(
          error,
          error instanceof CopyFailure ? EXIT_CODES.failure : EXIT_CODES.unreachable,
        )
      }
    }).catch((error: unknown) => {
      throw error instanceof CommandFailure ? error : fail(error)
    })
  },
})
