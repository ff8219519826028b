import path from 'node:path'
import { CommandFailure, createCommand, UsageError } from '@public-api/cli-kit/command'
import { textOption } from '@public-api/cli-kit/options'
import { createConnection } from '@public-api/client-internal/connection'
import { createArchiveClient } from '@public-api/client-internal/log/archive-client'
import { parseSignedCheckpoint } from '@public-api/client-internal/log/checkpoint'
import { treeOfEntries } from '@public-api/client-internal/log/hash-tree'
import {
  type LogPolicy,
  MAX_POLICY_BYTES,
  openPolicy,
} from '@public-api/client-internal/log/log-policy'
import { formatProof, verifyProof } from '@public-api/client-internal/log/log-proof'
import { inclusionProof } from '@public-api/client-internal/log/merkle-tree'
import { createFile } from '@public-api/client-internal/node/durable-file'
import { platformFetch } from '@public-api/client-internal/node/node-fetch'
import { messageOf } from '@public-api/contract/errors/error-message'
import {
  formatSnapshotId,
  type VersionEntry,
  versionHashText,
} from '@public-api/contract/history/version-chain'
import { parseVersionEntry, VersionEntryError } from '@public-api/contract/history/version-entry'
import { propertyOf } from '@public-api/contract/json/property-of'
import {
  checkpointLines,
  MAX_RESOURCE_BYTES,
  MAX_TEXT_BYTES,
  readPolicyFile,
  withLogErrors,
} from './log/log-inputs.ts'
import { parseOrigin } from './log/parse-origin.ts'
import { readInput, readTextInput } from './verifying/saved-response.ts'

/** A proof, its policy, and how to read a resource of its version. */
type Source = Awaited<ReturnType<typeof readFromService>>

async function readFromFolder(
  folder: string,
  snapshotId: string,
  trusted: LogPolicy | undefined,
): Promise<Source> {
  const note = await readTextInput(path.join(folder, 'log', 'checkpoint'), MAX_TEXT_BYTES)
  const policy = trusted ?? (await readPolicyFile(path.join(folder, 'log', 'policy')))
  const { size } = await withLogErrors(async () => parseSignedCheckpoint(note))
  const entries: Buffer[] = []
  for (let index = 0; index < size; index += 1) {
    const id = formatSnapshotId(index + 1)
    const text = await readTextInput(path.join(folder, 'versions', `${id}.json`), MAX_TEXT_BYTES)
    try {
      entries.push(Buffer.from(versionHashText(parseVersionEntry(text, id))))
    } catch (error) {
      if (!(error instanceof VersionEntryError)) throw error
      throw new CommandFailure('HISTORY', error.message)
    }
  }
  const index = Number(snapshotId.slice('VS-'.length)) - 1
  const entry = entries[index]
  if (entry === undefined) {
    throw new CommandFailure('VERSION', `${snapshotId}: the log has ${size} versions`)
  }
  const hashes = await inclusionProof(await treeOfEntries(entries), index, size)
  return {
    proof: formatProof({ entry, index, hashes, note }),
    policy,
    readResource: (version, name) =>
      readInput(
        path.join(folder, 'resources', name, `${version.resources[name]}.json`),
        MAX_RESOURCE_BYTES,
      ),
  }
}

async function readFromService(base: string, snapshotId: string, trusted: LogPolicy | undefined) {
  const policy = trusted ?? (await fetchPolicy(base))
  const archive = createArchiveClient({ base, policy, maxAgeSeconds: Infinity })
  return {
    proof: await withLogErrors(() => archive.proof(snapshotId), base),
    policy,
    async readResource(version: VersionEntry, name: string): Promise<Uint8Array> {
      const { bytes } = await withLogErrors(() => archive.resource(version, name), base)
      if (bytes !== undefined) return bytes
      throw new CommandFailure('REDACTED', `${snapshotId}: the resource ${name} was redacted`)
    },
  }
}

async function fetchPolicy(base: string): Promise<LogPolicy> {
  const { origin, pathname } = new URL(base)
  const connection = createConnection(origin, platformFetch, { maxBodyBytes: MAX_POLICY_BYTES })
  const target = `${pathname}log/policy`
  const { status, body } = await withLogErrors(() => connection.send(target, {}, undefined), base)
  if (status === 200) {
    return withLogErrors(() => openPolicy(new TextDecoder().decode(body)), `${base}log/policy`)
  }
  throw new CommandFailure(
    'NO_LOG',
    `${origin}${target}: status ${status}; expected the policy of a log`,
  )
}

function write(file: string, content: string | Uint8Array): void {
  try {
    createFile(file, content)
  } catch (error) {
    if (propertyOf(error, 'code') === 'EEXIST') {
      throw new CommandFailure('EXISTS', `${file}: the file exists and was left unchanged`)
    }
    throw new CommandFailure('UNWRITABLE', `${file}: could not be written (${messageOf(error)})`)
  }
}

/** `svc tlog prove`: writes an offline proof of a version. */
export const command = createCommand({
  usage: 'tlog prove VERSION [options]',
  about: `Writes an offline proof that a version is in the transparency log: a file that
svc verify --proof checks without a network, also years later. With --resource,
the bytes of the resource are written beside it, as FILE.json.

The proof comes from the service at URL, or from a releases folder. It is checked
before it is written.`,
  options: {
    from: textOption('URL: read it from this service or copy'),
    releases: textOption(`DIR: read it from this releases folder (default: SVC_RELEASES_DIR, else
      releases)`),
    policy: textOption(`FILE: whom you trust; without it, the service's own suggestion is
      used, which proves nothing against its operator`),
    resource: textOption('NAME: also write this resource of the version, such as status'),
    out: textOption('FILE: the proof (default: VERSION.tlog-proof)'),
  },
  exit: '0 done, 1 not in the log, or not to be trusted, 2 wrong usage, 3 unreachable',
  takesArguments: true,
  async run({ values, positionals }) {
    const [snapshotId, ...rest] = positionals
    if (snapshotId === undefined || rest.length > 0 || !/^VS-\d{4,15}$/.test(snapshotId)) {
      throw new UsageError('expected the id of a version, such as VS-0008')
    }
    if (values.from !== undefined && values.releases !== undefined) {
      throw new UsageError('expected --from or --releases, found both')
    }
    const folder = values.releases ?? process.env['SVC_RELEASES_DIR'] ?? 'releases'
    const trusted = values.policy === undefined ? undefined : await readPolicyFile(values.policy)
    const source =
      values.from === undefined
        ? await readFromFolder(folder, snapshotId, trusted)
        : await readFromService(parseOrigin(values.from), snapshotId, trusted)
    const { policy } = source
    const verified = await withLogErrors(() =>
      verifyProof({ proof: source.proof, policy, nowMs: Date.now() }),
    )
    const { version, checkpoint } = verified
    const { resource } = values
    if (resource !== undefined && !Object.hasOwn(version.resources, resource)) {
      const names = Object.keys(version.resources).join(', ')
      throw new CommandFailure('RESOURCE', `${snapshotId} has no such resource; expected ${names}`)
    }
    const bytes = resource === undefined ? undefined : await source.readResource(version, resource)
    const file = values.out ?? `${snapshotId}.tlog-proof`
    const resourceFile = bytes === undefined ? null : `${file}.json`
    await withLogErrors(() =>
      verifyProof({
        proof: source.proof,
        policy,
        nowMs: Date.now(),
        ...(bytes === undefined ? {} : { resource: bytes }),
      }),
    )
    write(file, source.proof)
    if (bytes !== undefined && resourceFile !== null) write(resourceFile, bytes)
    const more = resourceFile === null ? '' : ` --resource-file ${resourceFile}`
    return {
      json: { file, resourceFile, snapshotId, hash: version.hash },
      lines: [
        `Wrote the proof of ${snapshotId} to ${file}.`,
        ...checkpointLines(checkpoint),
        `Check it anywhere: svc verify --proof ${file} --policy FILE${more}`,
      ],
    }
  },
})
