import { createCommand } from '@public-api/cli-kit/command'
import { onlyArgument } from '@public-api/cli-kit/option-values'
import { resolveIncident } from '../../publishing/editing/edit-status.ts'
import { EDIT_EXIT, EDIT_OPTIONS, editStatus } from '../edit-status.ts'

export const command = createCommand({
  usage: 'incident resolve ID --text TEXT [options]',
  about: `Ends an incident of status.yaml with a last update. Its components become
operational, unless another open incident names them; those that a running
maintenance names are in maintenance.`,
  options: EDIT_OPTIONS,
  takesArguments: true,
  exit: EDIT_EXIT,
  async run({ values, positionals }) {
    const id = onlyArgument(positionals, 'id of an incident')
    return editStatus(values, (status, options) => resolveIncident(status, id, options))
  },
})
