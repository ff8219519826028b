import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { assertCatalogError, type ExpectedError } from './catalog-error.ts'
import { REGISTER, runRegisteringApp, type RegisteringApp } from './registering-app.ts'

/** A body with the headers that go with it. */
export interface Refused {
  readonly headers?: { readonly [name: string]: string }
  readonly body: string
}

/** What an error's row says, without what every refused write has in common. */
export type ExpectedRefusal = Omit<ExpectedError, 'cors'>

/** Holds one response of an open waitlist against the row, in a window of its own. */
export async function assertRegistrationError(
  app: RegisteringApp,
  { headers = {}, body }: Refused,
  expected: ExpectedRefusal,
): Promise<void> {
  app.clock.ms += 60_000
  await assertCatalogError(
    app,
    {
      method: 'POST',
      target: REGISTER,
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    },
    { ...expected, cors: false },
  )
}

/** Each of the bodies is refused by an open waitlist as the row says, and nothing of any is kept. */
export async function assertRegistrationsRefused(
  t: TestContext,
  refused: readonly Refused[],
  expected: ExpectedRefusal,
): Promise<void> {
  const app = await runRegisteringApp(t)
  for (const each of refused) await assertRegistrationError(app, each, expected)
  assert.deepEqual(await app.entries(), [])
}
