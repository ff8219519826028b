import type { Client } from '@public-api/client-internal/client'
import { createClient } from '@public-api/client-internal/client-with-copies'
import { ConnectionError, type Fetch } from '@public-api/client-internal/connection'
import { createFileResponseStore } from '@public-api/client-internal/node/index'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import type { FallbackStep, FallbackVector } from '../vectors/fallback-vectors.ts'

/** Responds as a step of a vector states, and lists what was asked. */
function networkOf({ origin, responses }: FallbackVector, step: FallbackStep) {
  const asked: string[] = []
  const fetch: Fetch = (url) => {
    const named = url.replace(/fresh=[^&]*/, 'fresh=*')
    const isKeys = named.startsWith(origin + READ_PATHS.signingKey)
    if (!isKeys || named === origin + step.read) asked.push(named)
    const script = [step.network[named] ?? 'refused'].flat()
    const count = asked.filter((each) => each === named).length
    const name = script[Math.min(Math.max(count, 1), script.length) - 1] ?? ''
    const response = responses[name]
    if (response === undefined) return Promise.reject(new Error(name))
    const { status, headers, bodyBase64 } = response
    const body = new Blob([Buffer.from(bodyBase64 ?? '', 'base64')]).stream()
    return Promise.resolve({ status, headers, body })
  }
  return { asked, fetch }
}

async function resultOf(client: Client, { read, isFresh }: FallbackStep) {
  try {
    const result = await client.get(read, { fresh: isFresh === true })
    const { source, keyId, provedAtMs, ageSeconds, data, warnings } = result
    return {
      source,
      keyId,
      provedAt: new Date(provedAtMs).toISOString(),
      ageSeconds,
      data,
      warnings,
    }
  } catch (error) {
    const { code } = error as { readonly code?: string }
    return { error: error instanceof ConnectionError ? 'CONNECTION' : (code ?? String(error)) }
  }
}

/** Reads as the steps of a vector state, with a store in a folder. */
export async function* readSteps(vector: FallbackVector, folder: string) {
  let client: Client | undefined
  let network = networkOf(vector, vector.steps[0] as FallbackStep)
  let nowMs = 0
  for (const step of vector.steps) {
    network = networkOf(vector, step)
    nowMs = Date.parse(step.now)
    if (client === undefined || step.isRestarted === true) {
      client = createClient({
        baseUrl: vector.origin,
        mirrors: vector.mirrors,
        maxRetries: vector.maxRetries,
        ...(vector.pinnedKeyIds.length === 0 ? {} : { pinnedKeyIds: vector.pinnedKeyIds }),
        ...(vector.maxMirrorAgeSeconds === null
          ? {}
          : { maxMirrorAgeSeconds: vector.maxMirrorAgeSeconds }),
        ...(vector.hasStore ? { store: createFileResponseStore(folder) } : {}),
        fetch: (...asked) => network.fetch(...asked),
        now: () => nowMs,
        wait: () => Promise.resolve(),
      })
    }
    const found = await resultOf(client, step)
    yield { step, found, asked: [...new Set(network.asked)] }
  }
}
