import { temporaryDatabase } from '../support/temporary-folder.ts'
import { SQLITE_FORMS } from './sqlite/sqlite-fixture.ts'
import { testWaitlistBehavior } from './waitlist-behavior.ts'

for (const form of SQLITE_FORMS) {
  testWaitlistBehavior({
    name: form.name,
    async open(t) {
      const file = temporaryDatabase(t)
      const open = () => form.open(t, { file })
      return { store: await open(), openAgain: open }
    },
  })
}
