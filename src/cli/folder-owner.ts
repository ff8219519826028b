import { accessSync, constants, lstatSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { listBelow } from '../files/folder-files.ts'
import { namesIn } from './installed-units.ts'

/** The lines of a table of accounts, as lists of fields; none if it cannot be read. */
function readAccounts(file: '/etc/passwd' | '/etc/group'): readonly (readonly string[])[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
  } catch {
    return []
  }
}

/** The login name of a user ID, or the number if the system has no name for it. */
function userName(uid: number): string {
  const found = readAccounts('/etc/passwd').find(([, , id]) => id === String(uid))
  return found?.[0] ?? `user ${uid}`
}

/** The name of a group ID and its members. */
function groupOf(gid: number) {
  const [name = `group ${gid}`, , , members = ''] =
    readAccounts('/etc/group').find(([, , id]) => id === String(gid)) ?? []
  const own = readAccounts('/etc/passwd').filter(([, , , id]) => id === String(gid))
  return { name, members: new Set([...members.split(','), ...own.map(([user = '']) => user)]) }
}

/** The user ID of a folder's owner; undefined if it cannot be read. */
function ownerOf(folder: string): number | undefined {
  try {
    return statSync(folder).uid
  } catch {
    return undefined
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * What to do about a folder of another user in which this user cannot create files; undefined for every other folder. For
 * the end of a failure's message.
 */
export function ownerAdvice(folder: string): string | undefined {
  const { uid } = userInfo()
  const owner = ownerOf(folder)
  // Windows has no user IDs.
  if (owner === undefined || uid === -1 || owner === uid || isWritable(folder)) return undefined
  const name = userName(owner)
  return `${folder} belongs to ${name}, and this command runs as ${userName(uid)}; run it as ${name}: sudo -u ${name} svc …`
}

/** Where systemd links the timers that are enabled. */
const ENABLED_TIMERS = '/etc/systemd/system/timers.target.wants'

/** The user of other users' files where systemd hides them from a unit (PrivateUsers). */
const HIDDEN_USER = 65_534

/** The users as whom the timer of cosignatures runs on this machine. */
const cosigningUsers = (timers: string): readonly string[] =>
  namesIn(timers).flatMap((name) => /^public-api-cosign@(.+)\.timer$/.exec(name)?.[1] ?? [])

/** The rights of a folder that publishers share: the group may write, and what is created belongs to it (setgid). */
const SHARED = 0o2020

/** Whether a group shares a folder. */
const isShared = (folder: string): boolean => (statSync(folder).mode & SHARED) === SHARED

/** A warning about the first entry that the group which shares a folder cannot use; none for other folders. */
export function sharedFolderWarnings(folder: string): readonly string[] {
  try {
    if (!isShared(folder)) return []
    const { gid } = statSync(folder)
    const closed = listBelow(folder, undefined, (part) => part.startsWith('.'))
      .filter(({ name, kind }) => (kind === 'folder' || kind === 'file') && !name.startsWith('.'))
      .map(({ name, kind }) => ({ place: path.join(folder, name), kind }))
      .find(({ place, kind }) => {
        const { gid: own, mode } = statSync(place)
        return own !== gid || (kind === 'folder' ? !isShared(place) : (mode & 0o040) === 0)
      })
    if (closed === undefined) return []
    const { name } = groupOf(gid)
    const use = closed.kind === 'folder' ? 'write' : 'read'
    const advice = `sudo chgrp -R ${name} ${folder} && sudo chmod -R g+rwX ${folder} && sudo find ${folder} -type d -exec chmod g+s {} +`
    return [`the group ${name} shares ${folder} and cannot ${use} ${closed.place}; run ${advice}`]
  } catch {
    // Another user's: what cannot be listed here is named where it is used.
    return []
  }
}

/**
 * Warnings about a folder of releases that is neither all of one owner nor shared by a group, or that the timer of
 * cosignatures cannot write.
 */
export function releasesOwnerWarnings(
  folder: string,
  timers: string = ENABLED_TIMERS,
): readonly string[] {
  const owner = ownerOf(folder)
  if (owner === undefined || owner === HIDDEN_USER) return []
  const name = userName(owner)
  const group = isShared(folder) ? groupOf(statSync(folder).gid) : undefined
  const entries = listBelow(folder)
    .map((entry) => path.join(folder, entry.name))
    .filter((place) => lstatSync(place, { throwIfNoEntry: false })?.uid !== owner)
  const [first] = group === undefined ? entries : []
  const others = [...new Set(entries.flatMap((place) => ownerOf(place) ?? []))].map(userName)
  return [
    ...sharedFolderWarnings(folder),
    first !== undefined &&
      `${folder} belongs to ${name}, and files in it to ${others.join(', ')}, such as ${first}; expected one owner: sudo chown -R ${name} ${folder}; several publishers share it by a group: docs/operating.md, "Two people publish"`,
    ...cosigningUsers(timers)
      .filter((user) => user !== name && group?.members.has(user) !== true)
      .map(
        (user) =>
          `public-api-cosign@${user}.timer cannot write ${folder}, which belongs to ${name}; expected public-api-cosign@${name}.timer`,
      ),
  ].filter((each) => typeof each === 'string')
}
