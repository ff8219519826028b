import path from 'node:path'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { SQLITE_FORMS } from './sqlite/sqlite-fixture.ts'
import { testWaitlistBehavior } from './waitlist-behavior.ts'

for (const form of SQLITE_FORMS) {
  testWaitlistBehavior({
    name: form.name,
    async open(t) {
      const file = path.join(temporaryFolder(t), 'service.sqlite')
      const open = () => form.open(t, { file })
      return { store: await open(), openAgain: open }
    },
  })
}
