import { createCommand, UsageError } from '@public-api/cli-kit/command'
import { onlyArgument, parseInstantOption } from '@public-api/cli-kit/option-values'
import { textOption } from '@public-api/cli-kit/options'
import { rescheduleMaintenance } from '../../publishing/editing/edit-status.ts'
import { EDIT_EXIT, EDIT_OPTIONS, editStatus } from '../edit-status.ts'

export const command = createCommand({
  usage: 'maintenance reschedule ID [--from TIME] [--to TIME] --text TEXT [options]',
  about: `Changes the planned time of a maintenance of status.yaml, with an update that
says so. Of a running one, only the end can change. Calendars that subscribed
move the event.`,
  options: {
    from: textOption('TIME: new planned start, such as 2027-01-31T03:00:00Z'),
    to: textOption('TIME: new planned end'),
    ...EDIT_OPTIONS,
  },
  takesArguments: true,
  exit: EDIT_EXIT,
  async run({ values, positionals }) {
    const id = onlyArgument(positionals, 'id of a maintenance')
    const startsAt = parseInstantOption('--from', values.from) ?? undefined
    const endsAt = parseInstantOption('--to', values.to) ?? undefined
    if (startsAt === undefined && endsAt === undefined) {
      throw new UsageError('expected --from TIME or --to TIME')
    }
    return editStatus(values, (status, options) =>
      rescheduleMaintenance(status, id, { ...options, startsAt, endsAt }),
    )
  },
})
