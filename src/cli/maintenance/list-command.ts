import { createCommand } from '@public-api/cli-kit/command'
import { readStatus } from '../read-status.ts'
import { CONTENT_OPTION } from '../releases-folder.ts'

const RANKS: { readonly [state: string]: number } = { in_progress: 0, scheduled: 1 }

export const command = createCommand({
  usage: 'maintenance list [--content DIR] [--json]',
  about: 'Lists the maintenances of status.yaml: running, planned, then past ones.',
  options: { content: CONTENT_OPTION },
  async run({ values }) {
    const { maintenances = [] } = await readStatus(values.content)
    const rankOf = (state: string): number => RANKS[state] ?? 2
    const listed = maintenances.toSorted((a, b) => rankOf(a.state) - rankOf(b.state))
    const width = Math.max(0, ...listed.map(({ id }) => id.length))
    const lines = listed.map(({ id, state, startsAt, endsAt, title }) =>
      [id.padEnd(width), state.padEnd(11), `${startsAt} to ${endsAt}`, title].join('  '),
    )
    return {
      json: { maintenances: listed },
      lines: lines.length === 0 ? ['No maintenances.'] : lines,
    }
  },
})
