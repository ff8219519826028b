import type { CommandTable } from '@public-api/cli-kit/command'
import { COMPLETION_SUMMARY, createCompletionCommand } from '@public-api/cli-kit/completion'

/** The commands of this package. A file is loaded when its command runs. */
export const COMMANDS: CommandTable = {
  verify: ['check the signature of a response, step by step', () => import('./verify-command.ts')],
  audit: [
    'audit the history of a deployment, or check evidence against it',
    () => import('./audit-command.ts'),
  ],
  prove: ['write an offline proof of a version', () => import('./prove-command.ts')],
  mirror: ['copy and verify the published files of a service', () => import('./mirror-command.ts')],
  doctor: [
    'inspect a deployment from outside, through its proxies and its CDN',
    () => import('./doctor-command.ts'),
  ],
  completion: [COMPLETION_SUMMARY, createCompletionCommand(() => COMMANDS)],
}
