import { createCommand, type Command } from '@public-api/cli-kit/command'
import { onlyArgument } from '@public-api/cli-kit/option-values'
import type { MaintenanceStep } from '../../publishing/editing/edit-status.ts'
import { EDIT_EXIT, EDIT_OPTIONS, editStatus } from '../edit-status.ts'

/** The command of a step of a maintenance. */
export function createStepCommand(step: MaintenanceStep, about: string): Command {
  return createCommand({
    usage: `maintenance ${step} ID --text TEXT [options]`,
    about,
    options: EDIT_OPTIONS,
    takesArguments: true,
    exit: EDIT_EXIT,
    async run({ values, positionals }) {
      const id = onlyArgument(positionals, 'id of a maintenance')
      const { moveMaintenance } = await import('../../publishing/editing/edit-status.ts')
      return editStatus(values, (status, options) => moveMaintenance(status, id, step, options))
    },
  })
}
