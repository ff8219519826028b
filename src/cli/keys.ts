import { API_KEY_ID_LENGTH, API_KEY_PREFIX } from '../contract/api-key.ts'
import { createActionsCommand } from './actions.ts'
import { type Command, UsageError } from '../../packages/cli/src/command/command.ts'
import { WHOLE_KEY_REFUSED } from './keys/key-id.ts'
import { looksLikeApiKey } from '../../packages/cli/src/command/whole-key.ts'

const actions = createActionsCommand({
  name: 'keys',
  about: `Works on the API keys. The database holds no key, only a hash of each: a key is
named by its id, the ${API_KEY_ID_LENGTH} digits between "${API_KEY_PREFIX}" and the next "_".`,
  actions: {
    list: {
      summary: 'list the keys with labels, dates and status',
      load: async () => (await import('./keys/list-command.ts')).listCommand,
    },
    revoke: {
      summary: 'refuse a key from its next request on',
      load: async () => (await import('./keys/revoke-command.ts')).revokeCommand,
    },
    'purge-expired': {
      summary: 'delete keys that expired or were revoked long ago',
      load: async () => (await import('./keys/purge-expired-command.ts')).purgeExpiredCommand,
    },
    issue: {
      summary: 'create a key, unless issuing is paused',
      load: async () => (await import('./keys/issue-command.ts')).issueCommand,
    },
  },
})

/** `svc keys`. */
export const keysCommand: Command = {
  help: actions.help,
  async run(args, output, words, toFailure) {
    // Checked first, because messages may be logged.
    if (args.some(looksLikeApiKey)) throw new UsageError(WHOLE_KEY_REFUSED)
    return actions.run(args, output, words, toFailure)
  },
}
