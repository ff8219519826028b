import { createCommand, UsageError } from '@public-api/cli-kit/command'
import { parseChoice } from '@public-api/cli-kit/option-values'
import { textOption } from '@public-api/cli-kit/options'
import { INCIDENT_IMPACTS, INCIDENT_STATES } from '@public-api/contract/snapshots/snapshot-schemas'
import { openIncident } from '../../publishing/editing/edit-status.ts'
import {
  COMPONENT_OPTION,
  EDIT_EXIT,
  EDIT_OPTIONS,
  editStatus,
  parseComponents,
  requireOption,
} from '../edit-status.ts'

/** The states of an incident that goes on. */
export const OPEN_STATES = INCIDENT_STATES.filter((state) => state !== 'resolved')

export const command = createCommand({
  usage: 'incident open --title TEXT --impact IMPACT --component ID=STATE --text TEXT [options]',
  about: `Adds an incident with its first update to status.yaml. Sets the state of each
component and its time, the state of the whole, and the time of the review.`,
  options: {
    title: textOption('TEXT: what happened, in a few words; required'),
    impact: {
      ...textOption(`IMPACT: ${INCIDENT_IMPACTS.join(', ')}; required`),
      choices: INCIDENT_IMPACTS,
    },
    component: COMPONENT_OPTION,
    state: {
      ...textOption(`STATE: ${OPEN_STATES.join(', ')} (default: investigating)`),
      choices: OPEN_STATES,
    },
    id: textOption('ID: the id of the incident (default: from the title and the day)'),
    ...EDIT_OPTIONS,
  },
  exit: EDIT_EXIT,
  async run({ values }) {
    const title = requireOption('title', values.title)
    const impact = parseChoice('--impact', requireOption('impact', values.impact), INCIDENT_IMPACTS)
    const state = parseChoice('--state', values.state ?? 'investigating', OPEN_STATES)
    const components = parseComponents(values.component)
    if (components.size === 0) throw new UsageError('expected --component ID=STATE')
    return editStatus(values, (status, options) =>
      openIncident(status, { ...options, title, impact, state, components, id: values.id }),
    )
  },
})
