import { CommandFailure, createCommand, UsageError } from '@public-api/cli-kit/command'
import { textOption } from '@public-api/cli-kit/options'
import {
  formatKeyRecordJson,
  formatKeyRecordText,
  KEY_RECORD_LABEL,
  parseKeyRecordText,
} from '@public-api/cli/src/pinning/key-record.ts'
import { inspectSecrets } from '../secrets.ts'
import { readConfig } from './database.ts'

export const recordCommand = createCommand({
  usage: 'signing-key record [options]',
  about: `Prints the current and the announced key ID as a DNS TXT record and as a JSON
file, to publish where this service cannot change them: in the DNS of the
organization, or on another site. Readers then pin the keys with --pin-from.
Publish the record again after svc signing-key new and promote. Changes nothing.`,
  options: {
    host: textOption('HOST: the host name of the service (default: the one of SVC_BASE_URL)'),
    log: textOption('VKEY: the verifier key of the transparency log, as svc tlog init prints it'),
  },
  async run({ values }) {
    const config = readConfig(['SVC_BASE_URL', 'SVC_SECRETS_DIR'])
    const host =
      values.host?.toLowerCase() ??
      (config.baseUrl === undefined ? undefined : new URL(config.baseUrl).host)
    if (host === undefined) throw new UsageError('expected --host HOST, or SVC_BASE_URL')
    if (!/^[a-z0-9.-]+(?::\d{1,5})?$/.test(host)) throw new UsageError('--host expects a host name')
    const { log } = values
    const { publishedKeys } = inspectSecrets(config, Date.now()).secrets
    const idOf = (status: string) => publishedKeys.find((key) => key.status === status)?.keyId
    const [kid, next] = [idOf('current'), idOf('next')]
    if (kid === undefined) {
      throw new CommandFailure(
        'SIGNING_KEYS',
        `expected a current signing key in ${config.secretsDir}; create one with svc signing-key new`,
      )
    }
    const record = {
      kid,
      ...(next === undefined ? {} : { next }),
      ...(log === undefined ? {} : { log }),
    }
    // A record belongs to a name, whatever the port.
    const name = `${KEY_RECORD_LABEL}.${host.replace(/:\d+$/, '')}`
    const txt = formatKeyRecordText(record)
    try {
      parseKeyRecordText(txt)
    } catch {
      // The key IDs are computed, so only the option can be wrong.
      throw new UsageError('--log expects the verifier key of a log, NAME+ID+KEY')
    }
    const file = formatKeyRecordJson(record, host)
    return {
      json: { name, txt, file: JSON.parse(file) as unknown },
      lines: [
        'DNS, for svc verify --pin-from dns:HOST:',
        `${name}. TXT "${txt}"`,
        '',
        'A file on another site, for svc verify --pin-from https://…:',
        file.trimEnd(),
      ],
    }
  },
})
