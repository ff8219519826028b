import { createActionsCommand } from './actions.ts'
import type { Command } from '../../packages/cli/src/command/command.ts'

/** `svc signing-key`. */
export const signingKeyCommand: Command = createActionsCommand({
  name: 'signing-key',
  about: `Manages the Ed25519 keys that sign responses, in the secrets folder:
signing-key.pem (the current private key), signing-key-next.pem (the announced
one) and signing-keys.json (what the signing-key document publishes). The server
applies a change on SIGHUP.`,
  actions: {
    new: {
      summary: 'create the first key, or announce the next one',
      load: async () => (await import('./signing-key/new-command.ts')).newCommand,
    },
    list: {
      summary: 'list the published keys with their periods',
      load: async () => (await import('./signing-key/list-command.ts')).listCommand,
    },
    promote: {
      summary: 'sign with the announced key from the next reload on',
      load: async () => (await import('./signing-key/promote-command.ts')).promoteCommand,
    },
    retire: {
      summary: 'withdraw an announced key, or end the period of a retired one',
      load: async () => (await import('./signing-key/retire-command.ts')).retireCommand,
    },
  },
})
