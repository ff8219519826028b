import path from 'node:path'

import { SQLITE_FORMS } from './sqlite-fixture.ts'
import { testWaitlistBehaviour } from './waitlist-behaviour.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

for (const form of SQLITE_FORMS) {
  testWaitlistBehaviour({
    name: form.name,
    async open(t) {
      const file = path.join(temporaryFolder(t), 'service.sqlite')
      const open = () => form.open(t, { file })
      return { storage: await open(), openAgain: open }
    },
  })
}
