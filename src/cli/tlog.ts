import {
  type CommandGroup,
  createGroup,
  createCommand,
  EXIT_CODES,
  UsageError,
} from '@public-api/cli-kit/command'
import { textOption } from '@public-api/cli-kit/options'
import { pluralOf } from '@public-api/cli-kit/wording'
import { keepBytesInGit } from '../files/git-files.ts'
import { readConfig } from './database.ts'
import { openReleasesFolder, RELEASES_OPTION } from './releases-folder.ts'
import {
  cosignLines,
  extendLog,
  logPublication,
  PENDING_ADVICE,
  witnessLines,
} from './tlog/log-publication.ts'

/** The checked versions of a releases folder, with its path. */
async function openVersions(option: string | undefined) {
  const { folder, store } = openReleasesFolder(option)
  const { readVersions } = await import('../publishing/releases/published-versions.ts')
  const read = () => readVersions(store)
  return { folder, read, versions: read() }
}

/** The address of the log by default: that of the service. */
function defaultUrl(origin: string): string {
  const { baseUrl } = readConfig(['SVC_BASE_URL'])
  return `${baseUrl ?? `https://${origin.replace(/\/.*/, '')}`}/log`
}

const initCommand = createCommand({
  usage: 'tlog init --origin ORIGIN [options]',
  about: `Creates the transparency log of a releases folder: an Ed25519 key in the secrets
folder, the signed tree of all versions, and a policy without witnesses. Prints
the line of the log for the policies of clients. ORIGIN is the identity of the
log, host and path without a scheme, such as api.example.org/log. It can never
be changed, even when the service moves.`,
  options: {
    origin: textOption('ORIGIN: identity of the log; required'),
    url: textOption(`URL: address of the log for the policy (default: /log of
      SVC_BASE_URL, else /log of the host in ORIGIN)`),
    releases: RELEASES_OPTION,
  },
  exit: '0 done, 1 the folder has a log already, or failure, 2 wrong usage',
  async run({ values }) {
    const { origin } = values
    if (origin === undefined) throw new UsageError('expected --origin such as api.example.org/log')
    const { folder, versions } = await openVersions(values.releases)
    const { createLog } = await import('../tlog/signing/published-log.ts')
    const url = values.url ?? defaultUrl(origin)
    if (values.url !== undefined && !URL.canParse(url))
      throw new UsageError('--url expects a URL such as https://api.example.org/log')
    const publication = { ...logPublication(folder), origin, url }
    const { vkey, size } = await createLog(publication, versions)
    const warning = keepBytesInGit(folder)
    return {
      json: { folder, origin, vkey, size, url },
      lines: [
        `Created the log ${origin} with ${pluralOf(size, 'version')} in ${folder}.`,
        `Keep a copy of the key and of log-state.json from ${publication.secrets.secretsDir}.`,
        'For the policies of clients:',
        `log ${vkey} ${url}`,
        warning && `Warning: ${warning}`,
      ],
    }
  },
})

const MAX_AGE_MS = 3 * 86_400_000

const statusCommand = createCommand({
  usage: 'tlog status [options]',
  about: `Shows the log of a releases folder: its size and root, when the quorum of
witnesses cosigned what is served, and each witness with its last outcome.
Nothing is asked or changed.`,
  options: { releases: RELEASES_OPTION },
  exit: '0 the policy is met, 1 it is not met, or its quorum is older than 3 days, 2 wrong usage',
  async run({ values }) {
    const { folder, versions } = await openVersions(values.releases)
    const { readLogStatus } = await import('../tlog/signing/cosign-log.ts')
    const nowMs = Date.now()
    const status = await readLogStatus(folder, versions.length, nowMs)
    const { origin, size, root, servedSize, isMet, witnessedAt, pendingVersions } = status
    const isOld = witnessedAt !== null && nowMs - Date.parse(witnessedAt) > MAX_AGE_MS
    const quorum = isMet
      ? witnessedAt === null
        ? 'The policy asks for no witness.'
        : `The quorum cosigned it at ${witnessedAt}${isOld ? ', more than 3 days ago' : ''}.`
      : 'It does not satisfy the policy.'
    return {
      json: { folder, ...status, isOld },
      lines: [
        `${origin} in ${folder}: ${pluralOf(size, 'version')} signed, root ${root}`,
        `The served checkpoint has ${pluralOf(servedSize, 'version')}. ${quorum}`,
        pendingVersions > 0 && `Pending versions: ${pendingVersions}`,
        ...witnessLines(status),
      ],
      exitCode: isMet && !isOld ? EXIT_CODES.done : EXIT_CODES.failure,
    }
  },
})

const cosignCommand = createCommand({
  usage: 'tlog cosign [options]',
  about: `Signs the published versions that the log lacks, asks every witness of the
policy to cosign the newest signed checkpoint, and serves it once the policy is
met. Repeat it daily, so that the cosignatures stay fresh while nothing is
published. Without pending versions it needs no key.`,
  options: { releases: RELEASES_OPTION },
  exit: `0 the policy is met, 1 an alarm (a witness has seen another history) or a witness
  without the log or key, or pending versions without the log's key, 2 wrong usage, 3 the policy is not met: witnesses were unreachable`,
  async run({ values }) {
    const { folder, read } = await openVersions(values.releases)
    const { report, pending } = await extendLog(folder, read, 'all')
    const has = (kind: string) => report.witnesses.some(({ outcome }) => outcome === kind)
    const isMissing = !report.isMet && has('not-configured')
    return {
      json: { folder, ...report, ...(pending === undefined ? {} : { pending }) },
      lines: [...cosignLines(report, folder), pending && `Warning: ${pending}. ${PENDING_ADVICE}`],
      exitCode:
        has('alarm') || isMissing || pending !== undefined
          ? EXIT_CODES.failure
          : report.isMet
            ? EXIT_CODES.done
            : EXIT_CODES.unreachable,
    }
  },
})

const ROTATION_ADVICE =
  'Send the new line to the operators of your witnesses and to your readers, and keep both keys for at least 90 days.'

const newKeyCommand = createCommand({
  usage: 'tlog new-key [options]',
  about: `Adds a key to the log. From now on both keys sign every checkpoint, and log/policy
names both. Witnesses and clients that know only the old key keep working.`,
  options: { releases: RELEASES_OPTION },
  async run({ values }) {
    const { folder, read } = await openVersions(values.releases)
    const { addLogKey } = await import('../tlog/signing/published-log.ts')
    const publication = logPublication(folder)
    const { line, ...keys } = await addLogKey(publication)
    const { report } = await extendLog(folder, read, 'all')
    return {
      json: { folder, ...keys, ...report },
      lines: [
        `Created a key in ${publication.secrets.secretsDir}. Both keys sign from now on. For the policies of clients:`,
        line,
        ROTATION_ADVICE,
        ...cosignLines(report, folder),
      ],
    }
  },
})

const retireKeyCommand = createCommand({
  usage: 'tlog retire-key KEYID [options]',
  about: `Removes the old key of a rotation: it is deleted, and log/policy no longer names
it. KEYID is the 8 hexadecimal digits in its verifier key.`,
  options: { releases: RELEASES_OPTION },
  takesArguments: true,
  async run({ values, positionals }) {
    const [keyId, ...others] = positionals
    if (keyId === undefined || others.length > 0 || !/^[0-9a-f]{8}$/.test(keyId)) {
      throw new UsageError('expected one key ID of 8 hexadecimal digits, as log/policy has it')
    }
    const { folder } = openReleasesFolder(values.releases)
    const { retireLogKey } = await import('../tlog/signing/published-log.ts')
    const publication = logPublication(folder)
    const { retired } = await retireLogKey(publication, keyId)
    return {
      json: { folder, retired },
      lines: [
        `Retired the key ${keyId} of the log in ${folder}. Only the current key signs from now on.`,
      ],
    }
  },
})

export const command: CommandGroup = createGroup(
  'tlog',
  `Manages the transparency log of a releases folder, which witnesses cosign. See
docs/witnesses.md. Without svc tlog init there is no log.`,
  {
    init: ['create the log and its key', initCommand],
    prove: [
      'write an offline proof of a version',
      () => import('@public-api/cli/src/prove-command.ts'),
    ],
    status: ['show size, root, quorum and witnesses', statusCommand],
    cosign: ['ask the witnesses to cosign the newest checkpoint', cosignCommand],
    'new-key': ['add a key; both keys sign from then on', newKeyCommand],
    'retire-key': ['remove the old key of a rotation', retireKeyCommand],
  },
)
