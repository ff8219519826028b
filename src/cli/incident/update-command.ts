import { createCommand } from '@public-api/cli-kit/command'
import { onlyArgument, parseChoice } from '@public-api/cli-kit/option-values'
import { textOption } from '@public-api/cli-kit/options'
import { updateIncident } from '../../publishing/editing/edit-status.ts'
import {
  COMPONENT_OPTION,
  EDIT_EXIT,
  EDIT_OPTIONS,
  editStatus,
  parseComponents,
} from '../edit-status.ts'
import { OPEN_STATES } from './open-command.ts'

export const command = createCommand({
  usage: 'incident update ID --text TEXT [options]',
  about: `Adds an update to an incident of status.yaml, and sets the states of components.
svc incident resolve ends an incident.`,
  options: {
    state: {
      ...textOption(`STATE: ${OPEN_STATES.join(', ')} (default: as before)`),
      choices: OPEN_STATES,
    },
    component: COMPONENT_OPTION,
    ...EDIT_OPTIONS,
  },
  takesArguments: true,
  exit: EDIT_EXIT,
  async run({ values, positionals }) {
    const id = onlyArgument(positionals, 'id of an incident')
    const state =
      values.state === undefined ? undefined : parseChoice('--state', values.state, OPEN_STATES)
    const components = parseComponents(values.component)
    return editStatus(values, (status, options) =>
      updateIncident(status, id, { ...options, state, components }),
    )
  },
})
