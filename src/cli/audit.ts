import {
  type Command,
  CommandFailure,
  createCommand,
  UsageError,
} from '@public-api/cli-kit/command'
import { onlyArgument } from '@public-api/cli-kit/option-values'
import { pluralOf } from '@public-api/cli-kit/wording'
import { command as auditService } from '@public-api/cli/src/audit-command.ts'
import { noticesOf } from '@public-api/contract/registry/release-notices'
import { formatRemovedEvent } from '@public-api/contract/snapshots/removed-events'
import { formatInstant } from '@public-api/contract/text/instant'
import type { verifyReleases } from '../publishing/releases/verify-releases.ts'
import type { ReleasesPlace } from '../releases/releases-place.ts'
import { formatVersions } from './find.ts'
import { openReadableReleases } from './releases-folder.ts'

/** In `--json`; the count says how many there are. */
const MAX_FINDINGS = 1000
/** Kinds of findings that are printed, and places of each. */
const MAX_KINDS = 20
const MAX_PLACES = 3

/** One line for each kind of finding, with the first places. */
function groupFindings(
  findings: readonly { readonly where: string; readonly message: string }[],
): readonly string[] {
  const kinds = [...Map.groupBy(findings, ({ message }) => message)]
  const lines = kinds.slice(0, MAX_KINDS).map(([message, same]) => {
    const places = same.slice(0, MAX_PLACES).map(({ where }) => where)
    const more = same.length - places.length
    return `${places.join(', ')}${more > 0 ? ` and ${more} more` : ''}: ${message}`
  })
  const left = kinds.length - lines.length
  return left > 0 ? [...lines, `and ${pluralOf(left, 'more kind')}`] : lines
}

/** Checks the log, and what a copy has beside its archive, and adds to the findings. */
async function checkBeside(
  folder: string,
  kind: ReleasesPlace['kind'],
  { versions, findings }: Awaited<ReturnType<typeof verifyReleases>>,
) {
  const { checkCopy, checkCopyLog } = await import('../copy/check-copy.ts')
  const add = (where: string, message: string): void => void findings.push({ where, message })
  if (kind === 'copy') return checkCopy(folder, versions, Date.now(), add)
  await checkCopyLog(folder, versions, Date.now(), add)
  return undefined
}

function copyLines(copy: Awaited<ReturnType<typeof checkBeside>> | undefined) {
  if (copy === undefined) return []
  const { files, proof, lacksPolicy } = copy
  return [
    proof === undefined
      ? 'There is no now.json: nothing says when a version was the newest.'
      : `now.json proves that ${proof.snapshotId} was the newest of ${proof.origin} at ${formatInstant(proof.provedAtMs)}, by the key ${proof.keyId}.`,
    files === undefined
      ? 'There is no site.json: the pages were not compared.'
      : `${pluralOf(files, 'file')} as site.json, which no key signs, says.`,
    ...(lacksPolicy === true
      ? ['There is no log/policy: the signature of log/checkpoint was not checked.']
      : []),
  ]
}

const auditFolder = createCommand({
  usage: 'audit DIR [--json]',
  about: `With DIR, checks a releases folder from end to end: every version with its hash and
its changes, the digest of every resource of every version, the shape of what the newest
one serves, every redaction, and the log's checkpoint. DIR may also be a copy or its
archive; of a copy it also checks now.json, and its files against site.json. Nothing is
written.`,
  options: {},
  takesArguments: true,
  async run({ positionals }) {
    const { folder, kind, store } = openReadableReleases(onlyArgument(positionals, 'folder'))
    const { verifyReleases } = await import('../publishing/releases/verify-releases.ts')
    const verified = await verifyReleases(store, kind)
    const { versions, resources, redacted, removed, findings } = verified
    const redactions = redacted.length
    const newest = versions.at(-1)
    const { loadResources } = await import('../service/releases/read-releases.ts')
    const served = newest && loadResources(store, newest)
    for (const { snapshotId, resource, reason } of served?.faults ?? []) {
      const where = `${snapshotId} ${resource}`
      // What is wrong with its bytes was found before.
      if (findings.every((each) => each.where !== where)) findings.push({ where, message: reason })
    }
    const copy = await checkBeside(folder, kind, verified)
    if (findings.length > 0) {
      throw new CommandFailure(
        'FINDINGS',
        `${folder} has ${pluralOf(findings.length, 'finding')}`,
        {
          details: groupFindings(findings),
          members: { folder, count: findings.length, findings: findings.slice(0, MAX_FINDINGS) },
        },
      )
    }
    const head = newest?.snapshotId
    const unknown = (served?.resources ?? []).flatMap(({ name, unknownMember }) =>
      unknownMember === undefined ? [] : [`${name}${unknownMember}`],
    )
    const notices = newest === undefined ? [] : noticesOf(newest, Date.now(), unknown)
    const warnings = notices.map(({ text }) => text)
    return {
      json: {
        folder,
        head,
        versions: versions.length,
        resources,
        redactions,
        redacted,
        removed,
        findings,
        ...(copy === undefined ? {} : { copy }),
        warnings,
      },
      errors: warnings.map((each) => `warning: ${each}`),
      lines: [
        ...copyLines(copy),
        `${folder} is intact up to ${head}: ${pluralOf(versions.length, 'version')}, ${pluralOf(resources, 'resource')}, ${pluralOf(redactions, 'redaction')}.`,
        ...redacted.map(
          ({ resource, snapshotIds, redactedAt, reason }) =>
            `  redacted: ${resource} of ${formatVersions(snapshotIds)}, ${redactedAt}, ${reason}`,
        ),
        ...removed.map(
          ({ snapshotId, ...event }) => `  ${snapshotId} ${formatRemovedEvent(event)}`,
        ),
      ],
    }
  },
})

/** `svc audit` of a service, by its URL, or of a releases folder. */
export const command: Command = {
  ...auditService,
  usage: [auditService.usage, auditFolder.usage].flat(),
  about: `${auditService.about}\n\n${auditFolder.about}`,
  async run(parsed, output, toFailure) {
    const [given] = parsed.positionals
    if (given === undefined || /^[a-z]+:\/\//i.test(given)) {
      return auditService.run(parsed, output, toFailure)
    }
    const other = Object.entries(parsed.values).find(
      ([name, value]) =>
        name !== 'json' && (value || undefined) !== auditService.options[name]?.default,
    )
    if (other !== undefined)
      throw new UsageError(`--${other[0]} is for a service, and ${given} is a folder`)
    return auditFolder.run(parsed, output, toFailure)
  },
}
