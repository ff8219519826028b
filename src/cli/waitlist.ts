import { createActionsCommand } from './actions.ts'
import type { Command } from './command.ts'

/** `svc waitlist`. */
export const waitlistCommand: Command = createActionsCommand({
  name: 'waitlist',
  about: `Works on the early-access waitlist, whose rows are sealed: only "export" and
"rotate-recipient" open them, with an identity that need not be on the server.`,
  actions: {
    count: {
      summary: 'how many are registered; needs no secret',
      load: async () => (await import('./waitlist/count-command.ts')).countCommand,
    },
    export: {
      summary: 'open the registrations with the identity and write them out',
      load: async () => (await import('./waitlist/export-command.ts')).exportCommand,
    },
    erase: {
      summary: 'take an address off the list',
      load: async () => (await import('./waitlist/erase-command.ts')).eraseCommand,
    },
    'rotate-recipient': {
      summary: 'seal all registrations to another recipient',
      load: async () =>
        (await import('./waitlist/rotate-recipient-command.ts')).rotateRecipientCommand,
    },
    copy: {
      summary: 'copy the database while the service runs',
      load: async () => (await import('./waitlist/copy-command.ts')).copyCommand,
    },
  },
})
