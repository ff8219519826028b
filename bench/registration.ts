import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ENDPOINTS } from '../src/contract/endpoints.ts'
import { ERRORS } from '../src/contract/errors.ts'
import { HEADERS } from '../src/contract/headers.ts'
import { startChild } from './children.ts'
import { boundTo } from './cores.ts'
import { CONNECTIONS, type CostParts } from './cost.ts'
import { removeDatabase } from './filled-database.ts'
import type { LoadResult, NumberedBody } from './load.ts'
import { fillList, makeRows, openRowMaker, trimList, type RowMaker } from './made-list.ts'
import { REFUSED_BODY, REGISTRATION_BODY } from './registration-body.ts'
import {
  summarize,
  type Block,
  type BothKinds,
  type FloorSample,
  type ListSample,
  type RegistrationResult,
} from './registration-result.ts'
import { startPeer, startRegistrationService, type MeasuredServer } from './server.ts'
import { isInMemory } from './workspace.ts'

/** Prime, so that the known addresses of a block are spread over all of the list, and those of the next are others. */
const STEPS = [7_368_787, 2_750_159, 5_800_079, 1_299_709, 8_675_309] as const

/** A list that is measured. */
interface List {
  readonly rows: number
  readonly file: string
  /** How many addresses stand on it; their numbers are those below. */
  known: number
  /** Blocks of known addresses that were asked for. */
  knownBlocks: number
}

/** Addresses that are not on the list yet, and from now on are. */
function unknownAddresses(list: List, count: number): NumberedBody {
  const first = list.known
  list.known += count
  return { text: REGISTRATION_BODY, first, count, step: 1 }
}

/** Addresses from all over the list. */
function knownAddresses(list: List): NumberedBody {
  const step = STEPS[list.knownBlocks % STEPS.length] ?? 1
  list.knownBlocks += 1
  return { text: REGISTRATION_BODY, first: 0, count: list.known, step }
}

/** Stands in the answer to a new address, and in that to a known one; the status is the same. */
const ANSWERS = { unknown: '"EA-', known: 'DUPLICATE' } as const

type Kind = keyof typeof ANSWERS

/** A server with the list that it writes to. */
interface Measured {
  readonly parts: CostParts
  readonly server: MeasuredServer
  readonly list: List
}

/** How many requests, on how many connections. */
interface Amount {
  readonly connections: number
  readonly requests: number
}

function post(
  { parts, server }: Measured,
  { connections, requests }: Amount,
  body: NumberedBody,
  expectedText: string,
  expectedStatus: number = ENDPOINTS.register.success.status,
): Promise<LoadResult> {
  return parts.generator.run({
    port: server.port,
    method: ENDPOINTS.register.method,
    target: ENDPOINTS.register.path,
    headers: { [HEADERS.contentType]: 'application/json' },
    expectedStatus,
    expectedText,
    body,
    connections,
    requests,
  })
}

async function measureBlock(measured: Measured, amount: Amount, kind: Kind): Promise<Block> {
  const { server, list } = measured
  const body = kind === 'known' ? knownAddresses(list) : unknownAddresses(list, amount.requests)
  const before = await server.cpuMicros()
  const { completed, seconds, latencyMs } = await post(measured, amount, body, ANSWERS[kind])
  const cpuMicros = ((await server.cpuMicros()) - before) / completed
  return { cpuMicros, latencyMs, rate: completed / seconds }
}

/** New and known addresses in turn, in an order in which what grows or drifts meanwhile meets both alike. */
async function measureBoth(measured: Measured, amount: Amount): Promise<BothKinds> {
  const unknown: Block[] = []
  const known: Block[] = []
  for (const kind of ['unknown', 'known', 'known', 'unknown'] as const) {
    const block = await measureBlock(measured, amount, kind)
    if (kind === 'known') known.push(block)
    else unknown.push(block)
  }
  return { unknown, known }
}

/** Lets V8 compile both ways through the code, and brings the list back to its length. */
async function warmUp(measured: Measured): Promise<void> {
  const { options } = measured.parts
  const requests = Math.ceil(options.registrationWarmUpRequests / 4)
  await measureBoth(measured, { connections: CONNECTIONS, requests })
  trim(measured.list)
}

function trim(list: List): void {
  trimList(list.file, list.rows)
  list.known = list.rows
}

/** The durable write of a row by itself, as the median of some. */
async function measureInsert(
  { cores, options }: CostParts,
  { file }: List,
  { sealedBytes }: RowMaker,
): Promise<number> {
  const program = fileURLToPath(new URL('durable-insert.ts', import.meta.url))
  const args = [program, file, String(sealedBytes), String(options.registrationRequests)]
  const child = startChild(boundTo(cores.server, [process.execPath, ...args]), { ipc: false })
  try {
    return await child.firstLine((line) =>
      line.startsWith('{') ? (JSON.parse(line) as { medianMs: number }).medianMs : undefined,
    )
  } finally {
    await child.end()
  }
}

async function measureList(measured: Measured, maker: RowMaker): Promise<ListSample> {
  const { parts, list } = measured
  const requests = parts.options.registrationRequests
  const one = { connections: 1, requests }
  const alone = await measureBoth(measured, one)
  const refused = await post(
    measured,
    one,
    { text: REFUSED_BODY, first: 0, count: 1, step: 1 },
    'CHALLENGE_FAILED',
    ERRORS.CHALLENGE_FAILED.status,
  )
  trim(list)
  const together = await measureBoth(measured, { connections: CONNECTIONS, requests })
  trim(list)
  const insertMs = await measureInsert(parts, list, maker)
  trim(list)
  return { alone, together, refusedMs: refused.latencyMs.median, insertMs }
}

async function measureFloor(measured: Measured): Promise<FloorSample> {
  const requests = measured.parts.options.registrationRequests
  const alone = await measureBlock(measured, { connections: 1, requests }, 'unknown')
  const many = { connections: CONNECTIONS, requests }
  return { alone, together: await measureBlock(measured, many, 'unknown') }
}

async function makeList(parts: CostParts, maker: RowMaker, rows: number): Promise<List> {
  const file = path.join(parts.workspace.folder, `list-${rows}.sqlite`)
  await fillList(
    file,
    makeRows(maker, rows, (made) =>
      parts.progress(`registration: making a list, ${made} of ${rows} rows`),
    ),
  )
  return { rows, file, known: rows, knownBlocks: 0 }
}

/** A bare server that stores plain text, on an empty database. */
async function startFloor(parts: CostParts): Promise<Measured> {
  const { workspace, cores } = parts
  const file = path.join(workspace.folder, 'plain.sqlite')
  const server = await startPeer(workspace, cores.server, ['register-plain', file])
  const floor: Measured = { parts, server, list: { rows: 0, file, known: 0, knownBlocks: 0 } }
  const requests = Math.ceil(parts.options.registrationWarmUpRequests / 4)
  await measureBoth(floor, { connections: CONNECTIONS, requests })
  return floor
}

/**
 * Measures registering on lists of several lengths, each once a round, round after round, so that what else the machine
 * does meets all alike. Each list has a process of its own, which is warm before the first round and idle while another
 * is measured: compiling takes longer than a round does, and an address that is new and one that is known are a few per
 * cent apart in a process that has seen more of one kind.
 */
export async function measureRegistration(parts: CostParts): Promise<RegistrationResult> {
  const { workspace, cores, options, progress } = parts
  const maker = await openRowMaker(workspace)
  const running: Measured[] = []
  const samples = new Map<number, ListSample[]>(options.listRows.map((rows) => [rows, []]))
  const floorSamples: FloorSample[] = []
  try {
    const floor = await startFloor(parts)
    running.push(floor)
    const measured: Measured[] = []
    for (const rows of options.listRows) {
      const list = await makeList(parts, maker, rows)
      const server = await startRegistrationService(workspace, cores.server, list.file)
      const each: Measured = { parts, server, list }
      running.push(each)
      measured.push(each)
      progress(`registration: warming up on a list of ${rows} rows`)
      await warmUp(each)
    }
    for (let round = 1; round <= options.registrationRounds; round += 1) {
      const told = `registration: round ${round} of ${options.registrationRounds}`
      progress(`${told}, the plain server`)
      floorSamples.push(await measureFloor(floor))
      for (const each of measured) {
        progress(`${told}, a list of ${each.list.rows} rows`)
        samples.get(each.list.rows)?.push(await measureList(each, maker))
      }
    }
  } finally {
    for (const { server, list } of running) {
      await server.end()
      removeDatabase(list.file)
    }
  }
  return summarize({
    requests: options.registrationRequests,
    connections: CONNECTIONS,
    sealedBytes: maker.sealedBytes,
    isInMemory: isInMemory(workspace),
    samples: [...samples].map(([rows, of]) => ({ rows, samples: of })),
    floor: floorSamples,
  })
}
