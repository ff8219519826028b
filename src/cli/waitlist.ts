import { type CommandGroup, createGroup } from '@public-api/cli-kit/command'

export const command: CommandGroup = createGroup(
  'waitlist',
  `Works on the early-access waitlist. Its rows are encrypted: only "export",
"show" and "rotate-recipient" decrypt them, with an identity that need not be on
the server.`,
  {
    join: [
      'register an address with a service, or get a challenge token',
      () => import('./waitlist/join-command.ts'),
    ],
    count: [
      'print the number of registrations; requires no secret',
      () => import('./waitlist/count-command.ts'),
    ],
    export: [
      'decrypt the registrations with the identity and write them',
      () => import('./waitlist/export-command.ts'),
    ],
    show: [
      'print everything that is stored about one person',
      () => import('./waitlist/show-command.ts'),
    ],
    erase: [
      'delete the registration of an address, or all of them',
      () => import('./waitlist/erase-command.ts'),
    ],
    'rotate-recipient': [
      'encrypt all registrations to another recipient',
      () => import('./waitlist/rotate-recipient-command.ts'),
    ],
    expire: [
      'delete registrations that are older than a number of days',
      () => import('./waitlist/expire-command.ts'),
    ],
  },
)
