import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { assertCatalogError, type ExpectedError } from './catalog-error.ts'
import { REGISTER, runRegisteringApp, type RegisteringApp } from './registering-app.ts'

/** A body with the headers that go with it. */
export interface Refused {
  readonly headers?: { readonly [name: string]: string }
  readonly body: string
}

/** An error's row, without the parts that all refused writes share. */
export type ExpectedRefusal = Omit<ExpectedError, 'cors'>

/** Compares one response of an open waitlist with the row, in its own window. */
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

/** Asserts that an open waitlist refuses each body as the row says, and stores nothing. */
export async function assertRegistrationsRefused(
  t: TestContext,
  refused: readonly Refused[],
  expected: ExpectedRefusal,
): Promise<void> {
  const app = await runRegisteringApp(t)
  for (const each of refused) await assertRegistrationError(app, each, expected)
  assert.deepEqual(await app.entries(), [])
}
