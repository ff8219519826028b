import { test } from 'node:test'
import { createMemoryApiKeyStore } from '../support/memory-api-key-store.ts'
import { temporaryDatabase } from '../support/temporary-folder.ts'
import { testApiKeysBehavior } from './api-keys-behavior.ts'
import { assertKeepsKeysAsMemoryDoes } from './api-keys-model.ts'
import { openStore } from './sqlite/sqlite-fixture.ts'

testApiKeysBehavior({
  name: 'SQLite',
  async open(t) {
    const file = temporaryDatabase(t)
    const open = async () => (await openStore(t, { file })).apiKeys
    return { store: await open(), openAgain: open }
  },
})

test('any sequence of calls on SQLite matches a store in memory', async (t) => {
  const file = temporaryDatabase(t)
  await assertKeepsKeysAsMemoryDoes((await openStore(t, { file })).apiKeys)
})

// What the tests of the service keep their keys in does the same.
testApiKeysBehavior({
  name: 'a Map',
  async open() {
    const apiKeys = createMemoryApiKeyStore()
    return { store: apiKeys, openAgain: async () => apiKeys }
  },
})
