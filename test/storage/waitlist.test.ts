import { temporaryDatabase } from '../support/temporary-folder.ts'
import { openStore } from './sqlite/sqlite-fixture.ts'
import { testWaitlistBehavior } from './waitlist-behavior.ts'

testWaitlistBehavior({
  name: 'SQLite',
  async open(t) {
    const file = temporaryDatabase(t)
    const open = () => openStore(t, { file })
    return { store: await open(), openAgain: open }
  },
})
