import { hash } from 'node:crypto'
import { verifyCopyProof } from '@public-api/client-internal/copies/copy-proof'
import { parseSignedCheckpoint } from '@public-api/client-internal/log/checkpoint'
import { openPolicy, signedOnly } from '@public-api/client-internal/log/log-policy'
import { equalHashes, rootOf } from '@public-api/client-internal/log/merkle-tree'
import { verifyCheckpoint } from '@public-api/client-internal/log/verify-checkpoint'
import { messageOf } from '@public-api/contract/errors/error-message'
import { type VersionEntry, versionHashText } from '@public-api/contract/history/version-chain'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { findBelow, listBelow } from '../files/folder-files.ts'
import { leafOf, treeOf } from '../tlog/log-entries.ts'
import { isOwnFile, LIST_FILE, MAX_LIST_BYTES, readList } from './copy-list.ts'

const PROOF_FILE = 'now.json'
const CHECKPOINT_FILE = 'log/checkpoint'
const POLICY_FILE = 'log/policy'
/** Of a publisher's folder: copies have none. */
const ORIGIN_FILE = 'log/origin'
type Report = (where: string, message: string) => void

/** The bytes of a file of the copy; undefined without one. */
const read = (folder: string, file: string) => findBelow(folder, file, MAX_LIST_BYTES)

/** Compares every file with the list of the run that wrote the copy. Returns their number; undefined without a list. */
function checkFiles(folder: string, add: Report): number | undefined {
  if (read(folder, LIST_FILE) === undefined) return undefined
  const { files } = readList(folder)
  for (const [file, [digest]] of files) {
    if (digest === undefined) continue
    try {
      const bytes = read(folder, file)
      if (bytes === undefined) add(file, `is missing, expected the file that ${LIST_FILE} names`)
      else if (hash('sha256', bytes, 'base64url') !== digest) {
        add(file, `differs from what ${LIST_FILE} says, the list of the run that wrote the copy`)
      }
    } catch (error) {
      add(LIST_FILE, messageOf(error))
    }
  }
  for (const { name, kind } of listBelow(folder)) {
    if (kind === 'folder' || files.has(name) || name === PROOF_FILE || isOwnFile(name)) continue
    add(name, `is not in ${LIST_FILE}, the list of the run that wrote the copy`)
  }
  return files.size
}

/** Runs a check. Its error is a finding about a file. */
async function reporting<Result>(
  add: Report,
  file: string,
  check: () => Promise<Result> | Result,
): Promise<Result | undefined> {
  try {
    return await check()
  } catch (error) {
    add(file, messageOf(error))
    return undefined
  }
}

/** Checks that the log has the versions of the archive. */
async function checkTree(
  note: string,
  versions: readonly VersionEntry[],
  add: Report,
): Promise<void> {
  const { size, root } = parseSignedCheckpoint(note, CHECKPOINT_FILE)
  if (size > versions.length) {
    add(CHECKPOINT_FILE, `has ${size} versions, and the archive has ${versions.length}`)
    return
  }
  const leafAt = (index: number) => leafOf(versionHashText(versions[index] as VersionEntry))
  const tree = await treeOf(size, leafAt)
  if (equalHashes(await rootOf(tree, size), root)) return
  add(CHECKPOINT_FILE, `has another root than the first ${size} versions of the archive`)
}

/**
 * Checks the log of a releases folder or a copy: that it has the versions of the archive, and that the key of the policy
 * beside it signed it. Witnesses do not count: whom to trust is the reader's to say (`svc audit URL --policy`). Resolves
 * with whether there is a checkpoint without a policy, as in a copy that `svc mirror` made: it had one of its reader.
 */
export async function checkCopyLog(
  folder: string,
  versions: readonly VersionEntry[],
  nowMs: number,
  add: Report,
): Promise<boolean | undefined> {
  return reporting(add, CHECKPOINT_FILE, async () => {
    const note = read(folder, CHECKPOINT_FILE)?.toString()
    if (note === undefined) return false
    const policy = read(folder, POLICY_FILE)?.toString()
    if (policy === undefined) {
      if (read(folder, ORIGIN_FILE) !== undefined)
        add(POLICY_FILE, 'is missing, expected the policy of the log')
    } else {
      await reporting(add, CHECKPOINT_FILE, async () =>
        verifyCheckpoint({ note, policy: signedOnly(await openPolicy(policy)), nowMs }),
      )
    }
    await checkTree(note, versions, add)
    return policy === undefined
  })
}

/** Verifies the proof of the copy, and that it is one of this history. Undefined without one. */
async function checkProof(
  folder: string,
  versions: readonly VersionEntry[],
  nowMs: number,
  add: Report,
) {
  const bytes = read(folder, PROOF_FILE)
  if (bytes === undefined) return undefined
  const origin = String(propertyOf(parseJson(bytes.toString()), 'origin'))
  const proof = await verifyCopyProof(bytes, { origin, pinnedKeyIds: [], nowMs })
  await proof.verifyResources()
  const { entry, keyId, provedAtMs } = proof
  const { snapshotId } = entry
  const known = versions.find((each) => each.snapshotId === snapshotId)
  if (known === undefined) add(PROOF_FILE, `proves ${snapshotId}, which the archive does not have`)
  else if (known.hash !== entry.hash) {
    add(PROOF_FILE, `proves another ${snapshotId} (${entry.hash}) than that of the archive`)
  }
  return { origin, snapshotId, keyId, provedAtMs }
}

/**
 * Checks what a copy has beside its archive, whose versions are given: its files against `site.json`, the log against the
 * versions, and `now.json`, without a pinned key. Reports each fault by file. Needs no network.
 */
export async function checkCopy(
  folder: string,
  versions: readonly VersionEntry[],
  nowMs: number,
  add: Report,
) {
  const files = await reporting(add, LIST_FILE, () => checkFiles(folder, add))
  const lacksPolicy = await checkCopyLog(folder, versions, nowMs, add)
  const proof = await reporting(add, PROOF_FILE, () => checkProof(folder, versions, nowMs, add))
  return { files, proof, lacksPolicy }
}
