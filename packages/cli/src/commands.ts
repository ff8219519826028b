import { type CommandTable, createGroup } from '@public-api/cli-kit/command'
import { createCompletionCommand } from '@public-api/cli-kit/completion'

/** The commands that verify from outside. A file is loaded when its command runs. */
export const VERIFICATION_COMMANDS: CommandTable = {
  verify: [
    'check the signature of a response, step by step',
    () => import('./verify-command.ts'),
    'Verification:',
  ],
  audit: ['audit the history of a service', () => import('./audit-command.ts')],
  watch: ['print each new version of a service', () => import('./watch-command.ts')],
  mirror: ['copy and verify the published files of a service', () => import('./mirror-command.ts')],
  doctor: [
    'inspect a service from outside, through its proxies',
    () => import('./doctor-command.ts'),
  ],
}

/** The commands of this package. */
export const AUDITOR_COMMANDS: CommandTable = {
  ...VERIFICATION_COMMANDS,
  tlog: [
    'write offline proofs of a version',
    createGroup('tlog', 'Reads the transparency log of a service or a releases folder.', {
      prove: ['write an offline proof of a version', () => import('./prove-command.ts')],
    }),
  ],
  completion: [
    'print the completion script for bash or zsh',
    createCompletionCommand(() => AUDITOR_COMMANDS),
  ],
}

/** Commands that have another name now. */
export const RENAMED = { prove: 'tlog prove' } as const
