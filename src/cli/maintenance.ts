import {
  type Command,
  type CommandGroup,
  createCommand,
  createGroup,
  UsageError,
} from '@public-api/cli-kit/command'
import { onlyArgument, requireOption, timeOption } from '@public-api/cli-kit/option-values'
import { textOption, textOptions } from '@public-api/cli-kit/options'
import {
  type MaintenanceStep,
  moveMaintenance,
  rescheduleMaintenance,
  scheduleMaintenance,
} from '../publishing/editing/edit-status.ts'
import { CONTENT_OPTION } from './releases-folder.ts'
import {
  BEGIN_OPTIONS,
  EDIT_EXIT,
  EDIT_OPTIONS,
  editStatus,
  fillFromTemplate,
  readStatus,
} from './status-edit-command.ts'

const scheduleCommand = createCommand({
  usage:
    'maintenance schedule --title TEXT --from TIME --to TIME --component ID --text TEXT [options]',
  about: `Adds a planned maintenance to status.yaml. Nothing changes by the clock: svc
maintenance start begins it.`,
  options: {
    ...BEGIN_OPTIONS,
    from: timeOption('TIME: planned start, such as 2027-01-31T03:00:00Z; required'),
    to: timeOption('TIME: planned end; required'),
    component: textOptions('ID: an affected component; may be given several times'),
    id: textOption('ID: the id of the maintenance (default: from the title and the day)'),
    ...EDIT_OPTIONS,
  },
  exit: EDIT_EXIT,
  async run({ values: given }) {
    const { template, values } = await fillFromTemplate(given, 'maintenance')
    const title = requireOption('title', values.title)
    const [startsAt, endsAt] = [requireOption('from', values.from), requireOption('to', values.to)]
    const { component: components = Object.keys(template?.components ?? {}), id } = values
    if (components.length === 0) throw new UsageError('expected --component ID')
    return editStatus(values, (status, options) =>
      scheduleMaintenance(status, { ...options, title, startsAt, endsAt, components, id }),
    )
  },
})

const rescheduleCommand = createCommand({
  usage: 'maintenance reschedule ID [--from TIME] [--to TIME] --text TEXT [options]',
  about: `Changes the planned time of a maintenance of status.yaml, with an update that
says so. Of a running one, only the end can change. Calendars that subscribed
move the event.`,
  options: {
    from: timeOption('TIME: new planned start, such as 2027-01-31T03:00:00Z'),
    to: timeOption('TIME: new planned end'),
    ...EDIT_OPTIONS,
  },
  takesArguments: true,
  exit: EDIT_EXIT,
  async run({ values, positionals }) {
    const id = onlyArgument(positionals, 'id of a maintenance')
    const { from: startsAt, to: endsAt } = values
    if (startsAt === undefined && endsAt === undefined) {
      throw new UsageError('expected --from TIME or --to TIME')
    }
    return editStatus(values, (status, options) =>
      rescheduleMaintenance(status, id, { ...options, startsAt, endsAt }),
    )
  },
})

/** The command of a step of a maintenance. */
function createStepCommand(step: MaintenanceStep, about: string): Command {
  return createCommand({
    usage: `maintenance ${step} ID --text TEXT [options]`,
    about,
    options: EDIT_OPTIONS,
    takesArguments: true,
    exit: EDIT_EXIT,
    async run({ values, positionals }) {
      const id = onlyArgument(positionals, 'id of a maintenance')
      return editStatus(values, (status, options) => moveMaintenance(status, id, step, options))
    },
  })
}

const RANKS: { readonly [state: string]: number } = { in_progress: 0, scheduled: 1 }

const listCommand = createCommand({
  usage: 'maintenance list [--content DIR] [--json]',
  about: 'Lists the maintenances of status.yaml: running, planned, then past ones.',
  options: { content: CONTENT_OPTION },
  async run({ values }) {
    const { file, maintenances = [] } = await readStatus(values.content)
    const rankOf = (state: string): number => RANKS[state] ?? 2
    const listed = maintenances.toSorted((a, b) => rankOf(a.state) - rankOf(b.state))
    const width = Math.max(0, ...listed.map(({ id }) => id.length))
    const lines = listed.map(({ id, state, startsAt, endsAt, title }) =>
      [id.padEnd(width), state.padEnd(11), `${startsAt} to ${endsAt}`, title].join('  '),
    )
    return {
      json: { maintenances: listed },
      lines: lines.length === 0 ? [`No maintenances in ${file}.`] : lines,
    }
  },
})

export const command: CommandGroup = createGroup(
  'maintenance',
  `Edits the planned maintenances of status.yaml in place. An edit that svc check
would refuse is not made. With --publish, the content folder is published in the
same step. No state changes by the clock.`,
  {
    schedule: ['announce a maintenance', scheduleCommand],
    reschedule: ['change the planned start or end', rescheduleCommand],
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
    list: ['list the maintenances, open ones first', listCommand],
  },
)
