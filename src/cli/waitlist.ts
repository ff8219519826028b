import { createActionsCommand } from './actions.ts'
import type { Command } from '../../packages/cli/src/command/command.ts'

/** `svc waitlist`. */
export const waitlistCommand: Command = createActionsCommand({
  name: 'waitlist',
  about: `Works on the early-access waitlist. Its rows are encrypted: only "export",
"show" and "rotate-recipient" decrypt them, with an identity that need not be on
the server.`,
  actions: {
    count: {
      summary: 'print the number of registrations; requires no secret',
      load: async () => (await import('./waitlist/count-command.ts')).countCommand,
    },
    export: {
      summary: 'decrypt the registrations with the identity and write them',
      load: async () => (await import('./waitlist/export-command.ts')).exportCommand,
    },
    show: {
      summary: 'print everything that is stored about one person',
      load: async () => (await import('./waitlist/show-command.ts')).showCommand,
    },
    erase: {
      summary: 'delete the registration of an address',
      load: async () => (await import('./waitlist/erase-command.ts')).eraseCommand,
    },
    'rotate-recipient': {
      summary: 'encrypt all registrations to another recipient',
      load: async () =>
        (await import('./waitlist/rotate-recipient-command.ts')).rotateRecipientCommand,
    },
    expire: {
      summary: 'delete registrations that are older than a number of days',
      load: async () => (await import('./waitlist/expire-command.ts')).expireCommand,
    },
  },
})
