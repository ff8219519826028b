import {
  type CommandGroup,
  createCommand,
  createGroup,
  EXIT_CODES,
  UsageError,
} from '@public-api/cli-kit/command'
import { choiceOption, onlyArgument, requireOption } from '@public-api/cli-kit/option-values'
import { textOption } from '@public-api/cli-kit/options'
import { INCIDENT_IMPACTS, INCIDENT_STATES } from '@public-api/contract/snapshots/snapshot-schemas'
import {
  openIncident,
  reopenIncident,
  resolveIncident,
  updateIncident,
} from '../publishing/editing/edit-status.ts'
import { isUnresolved } from '../publishing/rules/status-rules.ts'
import { CONTENT_OPTION, contentFolder } from './releases-folder.ts'
import { mistakeLines } from './server-failure.ts'
import {
  BEGIN_OPTIONS,
  COMPONENT_OPTION,
  EDIT_EXIT,
  EDIT_OPTIONS,
  editStatus,
  fillFromTemplate,
  readStatus,
} from './status-edit-command.ts'

/** The states of an incident that goes on. */
const OPEN_STATES = INCIDENT_STATES.filter((state) => state !== 'resolved')

const openCommand = createCommand({
  usage: 'incident open --title TEXT --impact IMPACT --component ID=STATE --text TEXT [options]',
  about: `Adds an incident with its first update to status.yaml. Sets the state of each
component and its time, the state of the whole, and the time of the review.`,
  options: {
    ...BEGIN_OPTIONS,
    impact: choiceOption(`IMPACT: ${INCIDENT_IMPACTS.join(', ')}; required`, INCIDENT_IMPACTS),
    component: COMPONENT_OPTION,
    state: choiceOption(`STATE: ${OPEN_STATES.join(', ')} (default: investigating)`, OPEN_STATES),
    id: textOption('ID: the id of the incident (default: from the title and the day)'),
    ...EDIT_OPTIONS,
  },
  exit: EDIT_EXIT,
  async run({ values: given }) {
    const { template, values } = await fillFromTemplate(given, 'incident')
    const title = requireOption('title', values.title)
    const { impact = template?.impact, state = 'investigating' } = values
    if (impact === undefined) throw new UsageError('expected --impact')
    const components = new Map(values.component ?? Object.entries(template?.components ?? {}))
    if (components.size === 0) throw new UsageError('expected --component ID=STATE')
    return editStatus(values, (status, options) =>
      openIncident(status, { ...options, title, impact, state, components, id: values.id }),
    )
  },
})

const updateCommand = createCommand({
  usage: 'incident update ID --text TEXT [options]',
  about: `Adds an update to an incident of status.yaml, and sets the states of components.
svc incident resolve ends an incident. With --state resolved, the incident may be
in the file of a past year, too.`,
  options: {
    state: choiceOption(
      `STATE: ${OPEN_STATES.join(', ')} (default: as before); resolved adds
      a note to a resolved incident`,
      INCIDENT_STATES,
    ),
    component: COMPONENT_OPTION,
    ...EDIT_OPTIONS,
  },
  takesArguments: true,
  exit: EDIT_EXIT,
  async run({ values, positionals }) {
    const id = onlyArgument(positionals, 'id of an incident')
    const { state } = values
    const components = new Map(values.component)
    return editStatus(values, (status, options) =>
      updateIncident(status, id, { ...options, state, components }),
    )
  },
})

const resolveCommand = createCommand({
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

const reopenCommand = createCommand({
  usage: 'incident reopen ID --text TEXT [options]',
  about: `Opens a resolved incident of status.yaml again, for what fails again: an update
on top, and the states of components.`,
  options: {
    state: choiceOption(`STATE: ${OPEN_STATES.join(', ')} (default: investigating)`, OPEN_STATES),
    component: COMPONENT_OPTION,
    ...EDIT_OPTIONS,
  },
  takesArguments: true,
  exit: EDIT_EXIT,
  async run({ values, positionals }) {
    const id = onlyArgument(positionals, 'id of an incident')
    const { state } = values
    const components = new Map(values.component)
    return editStatus(values, (status, options) =>
      reopenIncident(status, id, { ...options, state, components }),
    )
  },
})

const templatesCommand = createCommand({
  usage: 'incident templates [--content DIR] [--json]',
  about: `Lists the texts of the content's folder templates, to begin an incident or a
maintenance from with --template.`,
  options: { content: CONTENT_OPTION },
  exit: '0 done, 1 a template has mistakes, 2 wrong usage',
  async run({ values }) {
    const { readTemplates } = await import('../publishing/editing/event-templates.ts')
    const content = contentFolder(values.content)
    const { templates, mistakes } = readTemplates(content)
    const listed = [...templates.values()].map(({ translations, ...each }) => ({
      ...each,
      locales: [...translations.keys()],
    }))
    const width = Math.max(0, ...listed.map(({ name }) => name.length))
    return {
      json: { templates: listed, mistakes },
      lines: [
        listed.length === 0 && `${content} has no templates.`,
        ...listed.map(({ name, kind, title = '', locales }) =>
          [name.padEnd(width), kind.padEnd(11), ...locales, title].join('  '),
        ),
      ],
      errors: mistakeLines(mistakes),
      exitCode: mistakes.length === 0 ? EXIT_CODES.done : EXIT_CODES.failure,
    }
  },
})

const listCommand = createCommand({
  usage: 'incident list [--content DIR] [--json]',
  about: 'Lists the incidents of status.yaml, open ones first.',
  options: { content: CONTENT_OPTION },
  async run({ values }) {
    const { file, incidents } = await readStatus(values.content)
    const listed = incidents.toSorted((a, b) => Number(isUnresolved(b)) - Number(isUnresolved(a)))
    const width = Math.max(0, ...listed.map(({ id }) => id.length))
    const lines = listed.map(({ id, state, impact, startedAt, title }) =>
      [id.padEnd(width), state.padEnd(13), impact.padEnd(8), startedAt, title].join('  '),
    )
    return {
      json: { incidents: listed },
      lines: lines.length === 0 ? [`No incidents in ${file}.`] : lines,
    }
  },
})

export const command: CommandGroup = createGroup(
  'incident',
  `Edits the incidents of status.yaml in place. An edit that svc check would refuse
is not made. With --publish, the content folder is published in the same step.`,
  {
    open: ['add an incident with its first update', openCommand],
    update: ['add an update to an incident', updateCommand],
    resolve: ['end an incident', resolveCommand],
    reopen: ['open a resolved incident again', reopenCommand],
    templates: ['list texts to begin from', templatesCommand],
    list: ['list the incidents, open ones first', listCommand],
  },
)
