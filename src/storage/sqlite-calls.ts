import type { SealedRegistration, WaitlistStore } from './storage.ts'
import type { WaitlistStatements } from './sqlite-waitlist.ts'

/** One call of the waitlist as a value, so that it can wait in a queue and cross over to another thread. */
export type WaitlistCall = {
  readonly [Name in keyof WaitlistStore]: {
    readonly name: Name
    readonly args: Parameters<WaitlistStore[Name]>
  }
}[keyof WaitlistStore]

/** Whether a call leaves everything as it is. */
export function isReading({ name }: WaitlistCall): boolean {
  return name === 'count' || name === 'readAfter'
}

/** Runs one call in the transaction that is open. */
export function performCall(statements: WaitlistStatements, call: WaitlistCall): unknown {
  switch (call.name) {
    case 'add':
      return statements.add(...call.args)
    case 'count':
      return statements.count()
    case 'readAfter':
      return statements.readAfter(...call.args)
    case 'erase':
      return statements.erase(...call.args)
    case 'reseal':
      return statements.reseal(...call.args)
  }
}

const HASH_BYTES = 32

function assertHash(addressHash: Uint8Array): void {
  if (addressHash.length === HASH_BYTES) return
  throw new RangeError(`addressHash: found ${addressHash.length} bytes, expected ${HASH_BYTES}`)
}

function assertCount(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return
  throw new RangeError(`${name}: found ${value}, expected a whole number of at least ${least}`)
}

/** Copies the bytes: what is sent to another thread is the whole memory that a view looks at, a pool of Buffers say. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}

/**
 * The waitlist as calls of `send`, which resolves with what `performCall` returned. A wrong argument is refused with a
 * RangeError before it is sent, since a statement that fails takes its whole transaction with it.
 */
export function createWaitlistCalls(send: (call: WaitlistCall) => Promise<unknown>): WaitlistStore {
  async function sendCall<Call extends WaitlistCall>(
    call: Call,
  ): Promise<Awaited<ReturnType<WaitlistStore[Call['name']]>>> {
    return (await send(call)) as Awaited<ReturnType<WaitlistStore[Call['name']]>>
  }
  return {
    async add({ ticket, addressHash, recipient, sealed, registeredAtMs }) {
      assertHash(addressHash)
      assertCount('registeredAtMs', registeredAtMs, 0)
      const registration: SealedRegistration = {
        ticket,
        addressHash: copyOf(addressHash),
        recipient,
        sealed: copyOf(sealed),
        registeredAtMs,
      }
      return sendCall({ name: 'add', args: [registration] })
    },
    count: async () => sendCall({ name: 'count', args: [] }),
    async readAfter(position, limit) {
      assertCount('position', position, 0)
      assertCount('limit', limit, 1)
      return sendCall({ name: 'readAfter', args: [position, limit] })
    },
    async erase(addressHash) {
      assertHash(addressHash)
      return sendCall({ name: 'erase', args: [copyOf(addressHash)] })
    },
    async reseal(seals) {
      for (const { position } of seals) assertCount('position', position, 1)
      const copies = seals.map((seal) => ({ ...seal, sealed: copyOf(seal.sealed) }))
      return sendCall({ name: 'reseal', args: [copies] })
    },
  }
}
