import { createClient, type Client } from '@public-api/client-internal/client'
import type { ClientOptions } from '@public-api/client-internal/client-options'
import type { Fetch, FetchedResponse } from '@public-api/client-internal/connection'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { TEST_NOW_MS, TEST_SIGNING_KEY } from '../support/running-app.ts'
import { recordResponse } from '../vectors/recorded-responses.ts'
import { verificationKeyOf } from './requested-responses.ts'

/** The key of the app in these tests. */
export const key = await verificationKeyOf(TEST_SIGNING_KEY)

/** Where the scripted service is said to be. */
export const BASE_URL = 'https://api.example.test'

/** One request that a scripted fetch got. */
export interface Sent {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

/** What a scripted service says: to the n-th request for a target, from 0. */
export type Script = (
  sent: Sent,
  count: number,
) => Promise<FetchedResponse | undefined> | FetchedResponse | undefined

/** A client, with what it did. */
export interface Scripted {
  readonly client: Client
  readonly sent: Sent[]
  readonly waits: number[]
  readonly clock: { ms: number }
}

/** A response that the test composes. */
export function fakeResponse(
  status: number,
  headers: Record<string, string>,
  body = '',
): FetchedResponse {
  return {
    status,
    headers: Object.entries(headers),
    body: new Blob([body]).stream(),
  }
}

/** What the app answers at a time, as fetch would give it. */
export async function appResponse(
  { target, headers }: Sent,
  atMs: number,
  more: { readonly signingKey?: typeof TEST_SIGNING_KEY; readonly versions?: number } = {},
): Promise<FetchedResponse> {
  const pairs = Object.entries(headers)
  const response = await recordResponse({ method: 'GET', target, headers: pairs, atMs, ...more })
  const body = Buffer.from(response.bodyBase64 ?? '', 'base64')
  const { status } = response
  return {
    status,
    headers: response.headers,
    body: new Blob([body]).stream(),
  }
}

/** A client of the app, some of whose responses a script replaces. Waiting takes no time and moves the clock. */
export function scripted(
  script: Script = () => undefined,
  settings: Partial<ClientOptions> = {},
): Scripted {
  const sent: Sent[] = []
  const waits: number[] = []
  const clock = { ms: TEST_NOW_MS }
  const counts = new Map<string, number>()
  const fetchOne: Fetch = async (url, init) => {
    const target = url.slice(BASE_URL.length)
    const one = { target, headers: init.headers }
    const path = target.replace(/\?.*/, '')
    const count = counts.get(path) ?? 0
    counts.set(path, count + 1)
    sent.push(one)
    return (await script(one, count)) ?? appResponse(one, clock.ms)
  }
  const client = createClient({
    baseUrl: BASE_URL,
    pinnedKeyIds: [key.keyId],
    fetch: fetchOne,
    now: () => clock.ms,
    wait: (milliseconds) => {
      waits.push(milliseconds)
      clock.ms += milliseconds
      return Promise.resolve()
    },
    ...settings,
  })
  return { client, sent, waits, clock }
}

/** Whether the status was asked for. */
export const isStatus = ({ target }: Sent) => target.startsWith(READ_PATHS.status)
