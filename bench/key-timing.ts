import { fileURLToPath } from 'node:url'
import { ENDPOINTS } from '../src/contract/endpoints.ts'
import { ERRORS } from '../src/contract/errors.ts'
import { HEADERS } from '../src/contract/headers.ts'
import { startChild } from './children.ts'
import { boundTo } from './cores.ts'
import type { CostParts } from './cost.ts'
import { KEY_CLASSES, keysOfClasses, randomOrder } from './key-timing-classes.ts'
import { summarizeTiming, type KeyTimingResult } from './key-timing-result.ts'
import type { KeyStoreFile } from './made-keys.ts'
import { startService } from './server.ts'

/** Requests that differ by one header, to be sent one after the other. */
export interface TimedRequests {
  readonly port: number
  readonly method: string
  readonly target: string
  readonly header: string
  /** In the order of sending. */
  readonly values: readonly string[]
  /** So many of the first are not timed. */
  readonly warmUp: number
  readonly expectedStatus: number
}

function isTimes(value: unknown): value is { readonly nanos: readonly number[] } {
  return typeof value === 'object' && value !== null && 'nanos' in value
}

async function takeTimes({ cores }: CostParts, asked: TimedRequests): Promise<readonly number[]> {
  const file = fileURLToPath(new URL('key-timing-client.ts', import.meta.url))
  const child = startChild(boundTo(cores.generator, [process.execPath, file]), { ipc: true })
  try {
    const answer = await child.ask(asked)
    if (isTimes(answer)) return answer.nanos
    throw new Error(`The timing of keys failed: ${JSON.stringify(answer)}`)
  } finally {
    await child.end()
  }
}

/** Times the four kinds of refused keys against each other, in random order on one connection. */
export async function measureKeyTiming(
  parts: CostParts,
  store: KeyStoreFile,
): Promise<KeyTimingResult> {
  const { workspace, cores, options } = parts
  const { keyTimingWarmUpRequests: warmUpOfClass, keyTimingRequests: ofClass } = options
  const keys = keysOfClasses(store)
  const order = [
    ...randomOrder(KEY_CLASSES.length, warmUpOfClass),
    ...randomOrder(KEY_CLASSES.length, ofClass),
  ]
  const next = KEY_CLASSES.map(() => 0)
  const values = order.map((number) => {
    const index = next[number] ?? 0
    next[number] = index + 1
    const ofThis = keys[KEY_CLASSES[number] ?? 'unknown']
    return ofThis[index % ofThis.length] ?? ''
  })
  const warmUp = KEY_CLASSES.length * warmUpOfClass
  const server = await startService(workspace, cores.server, store.file)
  try {
    const nanos = await takeTimes(parts, {
      port: server.port,
      method: ENDPOINTS.status.method,
      target: ENDPOINTS.status.path,
      header: HEADERS.key,
      values,
      warmUp,
      expectedStatus: ERRORS.KEY_INVALID.status,
    })
    const measured = order.slice(warmUp)
    return summarizeTiming(
      { active: store.active, dead: store.dead },
      KEY_CLASSES.map((title, number) => ({
        title,
        nanos: nanos.filter((_, index) => measured[index] === number),
      })),
    )
  } finally {
    await server.end()
  }
}
