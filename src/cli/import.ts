import { type CommandGroup, createGroup } from '@public-api/cli-kit/command'

export const command: CommandGroup = createGroup(
  'import',
  'Writes content from the public data of another program, for review.',
  {
    statuspage: [
      'write status.yaml from an Atlassian Statuspage',
      () => import('./import/statuspage-command.ts'),
    ],
  },
)
