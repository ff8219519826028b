import { createCommand, UsageError } from '@public-api/cli-kit/command'
import { parseInstantOption } from '@public-api/cli-kit/option-values'
import { textOption, textOptions } from '@public-api/cli-kit/options'
import { scheduleMaintenance } from '../../publishing/editing/edit-status.ts'
import { EDIT_EXIT, EDIT_OPTIONS, editStatus, requireOption } from '../edit-status.ts'

function requireTime(name: string, value: string | undefined): string {
  const text = requireOption(name, value)
  return parseInstantOption(`--${name}`, text) ?? text
}

export const command = createCommand({
  usage:
    'maintenance schedule --title TEXT --from TIME --to TIME --component ID --text TEXT [options]',
  about: `Adds a planned maintenance to status.yaml. Nothing changes by the clock: svc
maintenance start begins it.`,
  options: {
    title: textOption('TEXT: the work in a few words; required'),
    from: textOption('TIME: planned start, such as 2027-01-31T03:00:00Z; required'),
    to: textOption('TIME: planned end; required'),
    component: textOptions('ID: an affected component; may be given several times'),
    id: textOption('ID: the id of the maintenance (default: from the title and the day)'),
    ...EDIT_OPTIONS,
  },
  exit: EDIT_EXIT,
  async run({ values }) {
    const title = requireOption('title', values.title)
    const [startsAt, endsAt] = [requireTime('from', values.from), requireTime('to', values.to)]
    const { component: components = [], id } = values
    if (components.length === 0) throw new UsageError('expected --component ID')
    return editStatus(values, (status, options) =>
      scheduleMaintenance(status, { ...options, title, startsAt, endsAt, components, id }),
    )
  },
})
