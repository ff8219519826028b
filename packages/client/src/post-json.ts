import type { Client } from './client.ts'
import { freshTarget } from './fresh-target.ts'
import type { Verified } from './verified.ts'

/** Options of a request that is sent once. */
export interface WriteOptions {
  /** Ends the wait for the response. The service may still have done what was requested. */
  readonly signal?: AbortSignal
}

/**
 * Sends JSON with POST, once: a challenge token can be used once, and the request may have succeeded although its
 * response was lost. The signature does not cover the body of a request, so a random query parameter ties the response
 * to this request.
 */
export async function postJson(
  client: Client,
  path: string,
  body: unknown,
  { signal }: WriteOptions,
): Promise<Verified<unknown>> {
  // Loads the keys before the request, because they are needed to verify its response.
  await client.keys()
  signal?.throwIfAborted()
  const headers = { 'Content-Type': 'application/json' }
  return client.request(freshTarget(path), headers, signal, 'POST', JSON.stringify(body))
}
