import { createCommand } from '@public-api/cli-kit/command'
import { readStatus } from '../read-status.ts'
import { CONTENT_OPTION } from '../releases-folder.ts'

export const command = createCommand({
  usage: 'incident list [--content DIR] [--json]',
  about: 'Lists the incidents of status.yaml, open ones first.',
  options: { content: CONTENT_OPTION },
  async run({ values }) {
    const { incidents } = await readStatus(values.content)
    const isOpen = ({ state }: { readonly state: string }) => state !== 'resolved'
    const listed = incidents.toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)))
    const width = Math.max(0, ...listed.map(({ id }) => id.length))
    const lines = listed.map(({ id, state, impact, startedAt, title }) =>
      [id.padEnd(width), state.padEnd(13), impact.padEnd(8), startedAt, title].join('  '),
    )
    return {
      json: { incidents: listed },
      lines: lines.length === 0 ? ['No incidents.'] : lines,
    }
  },
})
