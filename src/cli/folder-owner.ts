import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'

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
