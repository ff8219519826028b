import { assertCount, assertHash, copyOf } from './call-arguments.ts'
import type { WaitlistCall } from './sqlite-calls.ts'
import type { SealedRegistration, WaitlistStore } from './waitlist-store.ts'

/**
 * The waitlist as calls of `send`, which resolves with what `performCall` returned. A wrong argument is refused with a
 * RangeError before it is sent, since a statement that fails takes its whole transaction with it.
 */
export function createWaitlistCalls(send: (call: WaitlistCall) => Promise<unknown>): WaitlistStore {
  async function sendCall<Name extends keyof WaitlistStore>(
    name: Name,
    ...args: Parameters<WaitlistStore[Name]>
  ): Promise<Awaited<ReturnType<WaitlistStore[Name]>>> {
    const call = { store: 'waitlist', name, args } as WaitlistCall
    return (await send(call)) as Awaited<ReturnType<WaitlistStore[Name]>>
  }
  return {
    async add({ ticket, addressHash, recipient, sealed, registeredAtMs }) {
      assertHash('addressHash', addressHash)
      assertCount('registeredAtMs', registeredAtMs, 0)
      const registration: SealedRegistration = {
        ticket,
        addressHash: copyOf(addressHash),
        recipient,
        sealed: copyOf(sealed),
        registeredAtMs,
      }
      return sendCall('add', registration)
    },
    count: async () => sendCall('count'),
    async readAfter(position, limit) {
      assertCount('position', position, 0)
      assertCount('limit', limit, 1)
      return sendCall('readAfter', position, limit)
    },
    async find(addressHash) {
      assertHash('addressHash', addressHash)
      return sendCall('find', copyOf(addressHash))
    },
    async erase(addressHash) {
      assertHash('addressHash', addressHash)
      return sendCall('erase', copyOf(addressHash))
    },
    async reseal(seals) {
      for (const { position } of seals) assertCount('position', position, 1)
      return sendCall(
        'reseal',
        seals.map((seal) => ({ ...seal, sealed: copyOf(seal.sealed) })),
      )
    },
  }
}
