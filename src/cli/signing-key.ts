import {
  type CommandGroup,
  createGroup,
  CommandFailure,
  createCommand,
  EXIT_CODES,
  UsageError,
} from '@public-api/cli-kit/command'
import { numberOption, timeOption } from '@public-api/cli-kit/option-values'
import { formatInstant } from '@public-api/contract/text/instant'
import type { Config } from '../config.ts'
import {
  type KeyPeriod,
  periodStateOf,
  type PublishedSigningKey,
} from '../service/signing-keys/signing-key-document.ts'
import {
  checkNewKey,
  promoteNextKey,
  retireKey,
} from '../service/signing-keys/signing-key-rotation.ts'
import { readConfig } from './database.ts'
import { recordCommand } from './signing-key-dns-record.ts'
import {
  createPrivateKey,
  deleteNextKey,
  type KeyFiles,
  readKeyFiles,
  replaceCurrentKey,
  writeKeyMetadata,
} from './signing-key-files.ts'

/** The next step for the operator, printed last. */
const APPLY_ADVICE =
  'Apply this with: sudo systemctl reload public-api (without systemd: send SIGHUP to the server).'

/** A key as `--json` prints it. */
function toMetadata({ keyId, status, notBefore, notAfter }: PublishedSigningKey) {
  return { keyId, status, notBefore, notAfter }
}

/** The key of a promotion that was interrupted after its commit: its private key is not renamed yet. */
function findPending({ keys, next }: KeyFiles): PublishedSigningKey | undefined {
  return keys.find(({ keyId, status }) => keyId === next?.keyId && status === 'current')
}

/**
 * Creates the first key or the next one and returns its metadata. Finishes an interrupted promotion. A next private key
 * that an interrupted run left behind is announced rather than replaced. Throws a CommandFailure or a SigningKeyError.
 */
export function createSigningKey(
  config: Config,
  period: KeyPeriod,
  nowMs: number,
): PublishedSigningKey {
  const files = readKeyFiles(config)
  if (findPending(files) !== undefined) {
    replaceCurrentKey(files)
    return createSigningKey(config, period, nowMs)
  }
  const { keys, current, next, paths } = files
  if (current !== undefined) {
    checkNewKey(keys, period, nowMs)
    const key = { ...(next ?? createPrivateKey(paths.next)), status: 'next', ...period } as const
    writeKeyMetadata(paths.metadata, [...keys, key])
    return key
  }
  if (keys.some(({ status }) => status === 'current')) {
    throw new CommandFailure(
      'SIGNING_KEYS',
      `${paths.metadata} marks a key as current, but ${paths.current} does not exist; restore the private key, or mark that key as retired`,
    )
  }
  const first = { ...period, notBefore: period.notBefore ?? formatInstant(nowMs) }
  checkNewKey(keys, first, nowMs)
  const key = { ...createPrivateKey(paths.current), status: 'current', ...first } as const
  writeKeyMetadata(paths.metadata, [key, ...keys])
  return key
}

const newCommand = createCommand({
  usage: 'signing-key new [options]',
  about: `Creates an Ed25519 signing key in the secrets folder. Without a current key it
becomes the current one; otherwise it is announced as the next one, so that
clients can pin it before it signs anything. Periods are checked before any file
is written.`,
  options: {
    'not-before': timeOption(`TIME: start of its period, such as 2027-01-31T00:00:00Z
      (default: now for the first key, its promotion for the next one)`),
    'not-after': timeOption('TIME: end of its period (default: no end)'),
  },
  async run({ values }) {
    const period = {
      notBefore: values['not-before'] ?? null,
      notAfter: values['not-after'] ?? null,
    }
    const config = readConfig()
    const key = createSigningKey(config, period, Date.now())
    const done =
      key.status === 'current'
        ? `Created signing key ${key.keyId} in ${config.secretsDir}. It signs responses from the next start on.`
        : `Announced signing key ${key.keyId} in ${config.secretsDir} as the next one. It signs after svc signing-key promote: wait for two days after the reload, because clients without pins load the key document once a day.`
    return { json: { key: toMetadata(key) }, lines: [done, APPLY_ADVICE] }
  },
})

const PERIOD_LABELS = { before: 'not valid yet', within: 'valid', after: 'expired' } as const

function fileOf(key: PublishedSigningKey, { current, next, paths }: KeyFiles): string | null {
  if (key.keyId === current?.keyId) return paths.current
  return key.keyId === next?.keyId ? paths.next : null
}

const listCommand = createCommand({
  usage: 'signing-key list [options]',
  about: `Lists the published signing keys: key ID, status, period, whether the period
includes now, and the file of the private key where it is present. Changes
nothing.`,
  options: {},
  exit: '0 done, 1 the current key has expired or a file is invalid, 2 wrong usage',
  async run() {
    const config = readConfig()
    const files = readKeyFiles(config)
    const nowMs = Date.now()
    const rows = files.keys.map((key) => ({
      ...toMetadata(key),
      period: PERIOD_LABELS[periodStateOf(key, nowMs)],
      privateKey: fileOf(key, files),
    }))
    const lines = rows.flatMap(({ keyId, status, notBefore, notAfter, period, privateKey }) => [
      `${keyId}  ${status.padEnd(7)}  ${period}`,
      `  valid from ${notBefore ?? 'any time'} until ${notAfter ?? 'further notice'}`,
      privateKey !== null && `  private key: ${privateKey}`,
    ])
    const hasExpired = rows.some(
      ({ status, period }) => status === 'current' && period === 'expired',
    )
    return {
      json: { keys: rows },
      lines:
        lines.length === 0
          ? [`No signing key in ${config.secretsDir}. Create one with svc signing-key new.`]
          : lines,
      exitCode: hasExpired ? EXIT_CODES.failure : EXIT_CODES.done,
    }
  },
})

const HOUR_MS = 3_600_000

/** Promotes the announced key and returns its metadata. Throws a CommandFailure or a SigningKeyError. */
export function promoteSigningKey(
  config: Config,
  nowMs: number,
  overlapMs: number,
): PublishedSigningKey {
  const files = readKeyFiles(config)
  const { keys, next, paths } = files
  const pending = findPending(files)
  // The metadata is the commit point: the server finds the private key under either name.
  if (pending !== undefined) {
    replaceCurrentKey(files)
    return pending
  }
  const promoted = promoteNextKey(keys, nowMs, overlapMs)
  const current = promoted.find(({ status }) => status === 'current')
  if (current === undefined || current.keyId !== next?.keyId) {
    throw new CommandFailure(
      'SIGNING_KEYS',
      `expected the private key of ${current?.keyId ?? 'the announced key'} in ${paths.next}, found ${next?.keyId ?? 'no file'}`,
    )
  }
  writeKeyMetadata(paths.metadata, promoted)
  replaceCurrentKey(files)
  return current
}

const promoteCommand = createCommand({
  usage: 'signing-key promote [options]',
  about: `Makes the announced key the current one. The previous key becomes retired and
its private half is deleted. Its signatures stay valid for the overlap; reload
the server within that time. To finish an interrupted promotion, run the command
again. Wait for two days after the announcement: clients without pins load the
key document once a day, and refuse a key that they have not seen.`,
  options: {
    'overlap-hours': {
      ...numberOption('HOURS: how long the retired key stays valid, 0 to 8760', [0, 8760]),
      default: '24',
    },
  },
  async run({ values }) {
    const config = readConfig()
    const key = promoteSigningKey(config, Date.now(), values['overlap-hours'] * HOUR_MS)
    return {
      json: { key: toMetadata(key) },
      lines: [`Promoted signing key ${key.keyId} in ${config.secretsDir}.`, APPLY_ADVICE],
    }
  },
})

/**
 * Withdraws an announced key or ends the period of a retired one. Throws a CommandFailure or a SigningKeyError.
 */
export function retireSigningKey(
  config: Config,
  keyId: string,
  notAfter: string,
): 'withdrawn' | 'ended' {
  const files = readKeyFiles(config)
  const keys = retireKey(files.keys, keyId, notAfter)
  const isWithdrawn = keys.length < files.keys.length
  // Deleted first: an interrupted run can be repeated while the key is published, and svc signing-key new would announce
  // a private key that is left.
  if (isWithdrawn && files.next?.keyId === keyId) deleteNextKey(files)
  writeKeyMetadata(files.paths.metadata, keys)
  return isWithdrawn ? 'withdrawn' : 'ended'
}

const retireCommand = createCommand({
  usage: 'signing-key retire KEYID [options]',
  about: `Withdraws an announced key (its private half is deleted; it has signed nothing),
or ends the period of a retired key, for example after its private half leaked:
verifiers then refuse later signatures of this key. The current key cannot be
retired; promote another one first. Write -- before a KEYID that begins with a
hyphen.`,
  options: {
    'not-after': timeOption(`TIME: when the retired key's period ends, such as 2027-01-31T00:00:00Z
      (default: now)`),
  },
  takesArguments: true,
  async run({ values, positionals }) {
    const [keyId, ...others] = positionals
    // Not repeated in the message: a private key may have been pasted by mistake.
    if (keyId === undefined || others.length > 0 || !/^[\w-]{43}$/.test(keyId)) {
      throw new UsageError(
        'expected one key ID of 43 characters, as svc signing-key list prints it',
      )
    }
    const end = values['not-after'] ?? formatInstant(Date.now())
    const config = readConfig()
    const retirement = retireSigningKey(config, keyId, end)
    const done =
      retirement === 'withdrawn'
        ? `Withdrew signing key ${keyId} in ${config.secretsDir}.`
        : `Signatures of key ${keyId} in ${config.secretsDir} made after ${end} are no longer valid.`
    return { json: { keyId, retirement }, lines: [done, APPLY_ADVICE] }
  },
})

export const command: CommandGroup = createGroup(
  'signing-key',
  `Manages the Ed25519 keys that sign responses, in the secrets folder:
signing-key.pem (the current private key), signing-key-next.pem (the announced
one) and signing-keys.json (what the signing-key document publishes). The server
applies a change on SIGHUP.`,
  {
    new: ['create the first key, or announce the next one', newCommand],
    list: ['list the published keys with their periods', listCommand],
    promote: ['sign with the announced key from the next reload on', promoteCommand],
    record: ['print the key IDs as a DNS record and a file, for readers to pin', recordCommand],
    retire: ['withdraw an announced key, or end the period of a retired one', retireCommand],
  },
)
