import path from 'node:path'
import { ENDPOINTS } from '../src/contract/endpoints.ts'
import { HEADERS } from '../src/contract/headers.ts'
import { CONNECTIONS, type BenchContext } from './cost.ts'
import type { NumberedBody } from './load.ts'
import { REGISTRATION_BODY } from './registration-body.ts'
import {
  registrationReport,
  type Block,
  type BothKinds,
  type WaitlistSample,
} from './registration-report.ts'
import type { PartReport } from './report.ts'
import { startRegistrationService, type MeasuredServer } from './server.ts'
import { fillWaitlist, openRowMaker, removeDatabase, trimWaitlist } from './waitlist-fixture.ts'

/** Primes that spread the known addresses of a block over the whole waitlist, each block differently. */
const STEPS = [7_368_787, 2_750_159, 5_800_079, 1_299_709, 8_675_309] as const

/** A part of the body of each response, whose status is the same. */
const EXPECTED = { unknown: '"EA-', known: 'DUPLICATE' } as const

type Kind = keyof typeof EXPECTED

/** A measured server with its waitlist. */
interface Measured {
  readonly context: BenchContext
  readonly server: MeasuredServer
  readonly rows: number
  readonly file: string
  /** Addresses on the waitlist, numbered from 0. */
  known: number
  knownBlocks: number
}

interface Amount {
  readonly connections: number
  readonly requests: number
}

function bodyOf(measured: Measured, kind: Kind, requests: number): NumberedBody {
  if (kind === 'unknown') {
    const first = measured.known
    measured.known += requests
    return { text: REGISTRATION_BODY, first, count: requests, step: 1 }
  }
  const step = STEPS[measured.knownBlocks % STEPS.length] ?? 1
  measured.knownBlocks += 1
  return { text: REGISTRATION_BODY, first: 0, count: measured.known, step }
}

async function measureBlock(measured: Measured, amount: Amount, kind: Kind): Promise<Block> {
  const { context, server } = measured
  const body = bodyOf(measured, kind, amount.requests)
  const before = await server.cpuMicros()
  const { completed, seconds, latencyMs } = await context.generator.run({
    ...amount,
    port: server.port,
    method: ENDPOINTS.register.method,
    target: ENDPOINTS.register.path,
    headers: { [HEADERS.contentType]: 'application/json' },
    expectedStatus: ENDPOINTS.register.success.status,
    expectedText: EXPECTED[kind],
    body,
  })
  const cpuMicros = ((await server.cpuMicros()) - before) / completed
  return { cpuMicros, latencyMs, rate: completed / seconds }
}

/** Measures new and known addresses alternately, so that drift affects both alike. */
async function measureBoth(measured: Measured, amount: Amount): Promise<BothKinds> {
  const blocks: { unknown: Block[]; known: Block[] } = { unknown: [], known: [] }
  for (const kind of ['unknown', 'known', 'known', 'unknown'] as const) {
    blocks[kind].push(await measureBlock(measured, amount, kind))
  }
  trimWaitlist(measured.file, measured.rows)
  measured.known = measured.rows
  return blocks
}

async function measureWaitlist(measured: Measured): Promise<WaitlistSample> {
  const requests = measured.context.options.registrationRequests
  return {
    sequential: await measureBoth(measured, { connections: 1, requests }),
    concurrent: await measureBoth(measured, { connections: CONNECTIONS, requests }),
  }
}

/** Starts a warm server on a waitlist of this length. */
async function startMeasured(
  context: BenchContext,
  maker: Awaited<ReturnType<typeof openRowMaker>>,
  rows: number,
): Promise<Measured> {
  const { workspace, cores, options, progress } = context
  const file = path.join(workspace.folder, `waitlist-${rows}.sqlite`)
  await fillWaitlist(file, maker, rows, (made) =>
    progress(`registration: creating a waitlist, ${made} of ${rows} rows`),
  )
  const server = await startRegistrationService(workspace, cores.server, file)
  const measured: Measured = { context, server, rows, file, known: rows, knownBlocks: 0 }
  progress(`registration: warming up on a waitlist of ${rows} rows`)
  const requests = Math.ceil(options.registrationWarmUpRequests / 4)
  await measureBoth(measured, { connections: CONNECTIONS, requests })
  return measured
}

/**
 * Measures registrations on waitlists of several lengths, each once per round. Each waitlist has its own process, warm
 * before the first round: compilation takes longer than a round, and new and known addresses differ by a few per cent in
 * a process that has seen more of one kind.
 */
export async function measureRegistration(context: BenchContext): Promise<PartReport> {
  const { workspace, options, progress } = context
  const maker = await openRowMaker(workspace)
  const running: Measured[] = []
  const samples = new Map<number, WaitlistSample[]>(options.waitlistRows.map((rows) => [rows, []]))
  try {
    for (const rows of options.waitlistRows) {
      running.push(await startMeasured(context, maker, rows))
    }
    for (let round = 1; round <= options.registrationRounds; round += 1) {
      for (const measured of running) {
        progress(
          `registration: round ${round} of ${options.registrationRounds}, ${measured.rows} rows`,
        )
        samples.get(measured.rows)?.push(await measureWaitlist(measured))
      }
    }
  } finally {
    for (const { server, file } of running) {
      await server.end()
      removeDatabase(file)
    }
  }
  return registrationReport({
    requests: options.registrationRequests,
    connections: CONNECTIONS,
    waitlists: [...samples].map(([rows, of]) => ({ rows, samples: of })),
  })
}
