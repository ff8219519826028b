import type { Command } from '@public-api/cli-kit/command'
import { createActionsCommand } from './actions.ts'
import { createStepCommand } from './maintenance/step-command.ts'

export const command: Command = createActionsCommand(
  'maintenance',
  `Edits the planned maintenances of status.yaml in place. An edit that svc check
would refuse is not made. With --publish, the content folder is published in the
same step. No state changes by the clock.`,
  {
    schedule: ['announce a maintenance', () => import('./maintenance/schedule-command.ts')],
    reschedule: [
      'change the planned start or end',
      () => import('./maintenance/reschedule-command.ts'),
    ],
    start: [
      'begin a maintenance; its components are in maintenance',
      createStepCommand(
        'start',
        'Begins a planned maintenance. Its components that work are in maintenance.',
      ),
    ],
    complete: [
      'end a maintenance; its components work again',
      createStepCommand(
        'complete',
        `Ends a running maintenance. Its components become operational, unless an open
incident or another running maintenance names them.`,
      ),
    ],
    cancel: [
      'cancel a maintenance',
      createStepCommand(
        'cancel',
        `Cancels a planned or running maintenance. Components in maintenance become
operational, unless something else that goes on names them.`,
      ),
    ],
    list: ['list the maintenances, open ones first', () => import('./maintenance/list-command.ts')],
  },
)
