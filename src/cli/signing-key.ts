import { createActionsCommand } from './actions.ts'
import type { Command } from '../../packages/cli/src/command/command.ts'

/** `svc signing-key`. */
export const command: Command = createActionsCommand({
  name: 'signing-key',
  about: `Manages the Ed25519 keys that sign responses, in the secrets folder:
signing-key.pem (the current private key), signing-key-next.pem (the announced
one) and signing-keys.json (what the signing-key document publishes). The server
applies a change on SIGHUP.`,
  actions: {
    new: [
      'create the first key, or announce the next one',
      () => import('./signing-key/new-command.ts'),
    ],
    list: [
      'list the published keys with their periods',
      () => import('./signing-key/list-command.ts'),
    ],
    promote: [
      'sign with the announced key from the next reload on',
      () => import('./signing-key/promote-command.ts'),
    ],
    retire: [
      'withdraw an announced key, or end the period of a retired one',
      () => import('./signing-key/retire-command.ts'),
    ],
  },
})
