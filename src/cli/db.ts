import { type CommandGroup, createGroup } from '@public-api/cli-kit/command'

export const command: CommandGroup = createGroup(
  'db',
  'Works on the database of the waitlist and the API keys.',
  {
    backup: [
      'copy the embedded database to a file while the service runs',
      () => import('./db/backup-command.ts'),
    ],
    restore: [
      'replace the content of the embedded database with a backup',
      () => import('./db/restore-command.ts'),
    ],
    check: ['check every page of the embedded database', () => import('./db/check-command.ts')],
    copy: ['copy the rows from SQLite to PostgreSQL', () => import('./db/copy-command.ts')],
  },
)
