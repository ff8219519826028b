import { accessSync, constants, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { listBelow } from '../files/folder-files.ts'

/** The login name of a user ID, or the number if the system has no name for it. */
function userName(uid: number): string {
  try {
    const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
    const fields = accounts.map((line) => line.split(':'))
    return fields.find(([, , id]) => id === String(uid))?.[0] ?? `user ${uid}`
  } catch {
    return `user ${uid}`
  }
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
export function ownerAdvice(folder: string, uid: number = userInfo().uid): string | undefined {
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
function cosigningUsers(timers: string): readonly string[] {
  try {
    return readdirSync(timers).flatMap((name) => {
      const [, user] = /^public-api-cosign@(.+)\.timer$/.exec(name) ?? []
      return user === undefined ? [] : [user]
    })
  } catch {
    return []
  }
}

/** Warnings about a folder of releases that is not all of one owner, or that the timer of cosignatures cannot write. */
export function releasesOwnerWarnings(
  folder: string,
  timers: string = ENABLED_TIMERS,
): readonly string[] {
  const owner = ownerOf(folder)
  if (owner === undefined || owner === HIDDEN_USER) return []
  const name = userName(owner)
  const entries = listBelow(folder)
    .map((entry) => path.join(folder, entry.name))
    .filter((place) => lstatSync(place, { throwIfNoEntry: false })?.uid !== owner)
  const [first] = entries
  const others = [...new Set(entries.flatMap((place) => ownerOf(place) ?? []))].map(userName)
  return [
    first !== undefined &&
      `${folder} belongs to ${name}, and files in it to ${others.join(', ')}, such as ${first}; expected one owner: sudo chown -R ${name} ${folder}`,
    ...cosigningUsers(timers)
      .filter((user) => user !== name)
      .map(
        (user) =>
          `public-api-cosign@${user}.timer cannot write ${folder}, which belongs to ${name}; expected public-api-cosign@${name}.timer`,
      ),
  ].filter((each) => typeof each === 'string')
}
