import type { Command } from '@public-api/cli-kit/command'
import { createActionsCommand } from './actions.ts'

export const command: Command = createActionsCommand(
  'incident',
  `Edits the incidents of status.yaml in place. An edit that svc check would refuse
is not made. With --publish, the content folder is published in the same step.`,
  {
    open: ['add an incident with its first update', () => import('./incident/open-command.ts')],
    update: ['add an update to an incident', () => import('./incident/update-command.ts')],
    resolve: ['end an incident', () => import('./incident/resolve-command.ts')],
    list: ['list the incidents, open ones first', () => import('./incident/list-command.ts')],
  },
)
