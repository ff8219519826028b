import { sha256Base64url } from '#crypto'
import type { Client } from '../client.ts'
import { ConnectionError } from '../connection.ts'
import { parseBody } from '../read-body.ts'
import type { ReadOptions } from '../verified.ts'

/** A resource of the archive, as the chain names it; undefined if it is not offered, or has another digest. */
export async function readArchived(
  client: Client,
  name: string,
  digest: string,
  options: Pick<ReadOptions, 'signal'>,
): Promise<unknown> {
  const path = `/archive/resources/${name}/${digest}.json`
  try {
    const { status, body } = await client.getUnverified(path, options)
    if (status !== 200 || (await sha256Base64url(body)) !== digest) return undefined
    return parseBody(body)
  } catch (error) {
    if (error instanceof ConnectionError) return undefined
    throw error
  }
}
