import type { Command } from '@public-api/cli-kit/command'
import { createActionsCommand } from './actions.ts'

export const command: Command = createActionsCommand(
  'import',
  'Writes content from the public data of another program, for review.',
  {
    statuspage: [
      'write status.yaml from an Atlassian Statuspage',
      () => import('./import/statuspage-command.ts'),
    ],
  },
)
