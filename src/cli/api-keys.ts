import { type CommandGroup, createGroup, UsageError } from '@public-api/cli-kit/command'
import { looksLikeApiKey } from '@public-api/cli-kit/whole-key'
import { API_KEY_ID_LENGTH, API_KEY_PREFIX } from '@public-api/contract/keys/api-key'
import { WHOLE_KEY_REFUSED } from './api-keys/key-id.ts'

const actions = createGroup(
  'api-keys',
  `Works on the API keys. The database contains only a hash of each key. A key is
identified by its id, the ${API_KEY_ID_LENGTH} digits between "${API_KEY_PREFIX}" and the next "_".`,
  {
    list: [
      'list the keys with labels, dates and status',
      () => import('./api-keys/list-command.ts'),
    ],
    revoke: ['revoke a key from its next request on', () => import('./api-keys/revoke-command.ts')],
    'purge-expired': [
      'delete keys that expired or were revoked long ago',
      () => import('./api-keys/purge-expired-command.ts'),
    ],
  },
)

export const command: CommandGroup = {
  ...actions,
  // Checked first, because messages may be logged.
  checkArguments(args) {
    if (args.some(looksLikeApiKey)) throw new UsageError(WHOLE_KEY_REFUSED)
  },
}
