import { sha256Base64url } from '#crypto'
import type { Client } from '../client.ts'
import { ConnectionError } from '../connection.ts'
import { isUnsignedOutage } from '../http-response.ts'
import { isLost } from '../outage.ts'
import { parseBody } from '../read-body.ts'
import type { ReadOptions } from '../verified.ts'

/**
 * A resource of the archive, as the chain names it, or that of a mirror while the service is away; undefined if it is not
 * offered, or has another digest. `isAway` if the service was away a moment ago, so that it is not waited for again.
 */
export async function readArchived(
  client: Client,
  name: string,
  digest: string,
  { isAway = false, ...options }: Pick<ReadOptions, 'signal'> & { readonly isAway?: boolean },
): Promise<unknown> {
  const readCopy = async () => client.copies?.readArchived(name, digest, options.signal)
  if (isAway) return readCopy()
  try {
    const response = await client.getUnverified(
      `/archive/resources/${name}/${digest}.json`,
      options,
    )
    if (isUnsignedOutage(response)) return await readCopy()
    const { status, body } = response
    if (status !== 200 || (await sha256Base64url(body)) !== digest) return undefined
    return parseBody(body)
  } catch (error) {
    if (isLost(error)) return readCopy()
    if (error instanceof ConnectionError) return undefined
    throw error
  }
}
