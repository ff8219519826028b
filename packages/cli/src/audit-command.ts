import { createCommand, UsageError } from '@public-api/cli-kit/command'
import { numberOption } from '@public-api/cli-kit/option-values'
import { flag, textOption, textOptions } from '@public-api/cli-kit/options'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import type { ServiceAudit } from './auditing/audit-service.ts'
import { parseOrigin } from './log/parse-origin.ts'
import { choosePins, PIN_FROM_OPTION } from './pinning/choose-pins.ts'
import { parseBase, parsePins } from './verifying/address.ts'

// What only an audit of a service needs is loaded by its run: `svc audit DIR` uses the options alone.

const policyIn = async (file: string | undefined) =>
  file === undefined ? undefined : (await import('./log/log-inputs.ts')).readPolicyFile(file)

/** The source of the pins that a state file names. */
const savedPinSource = async (file: string | undefined) =>
  file === undefined
    ? undefined
    : (await import('./auditing/state-store.ts')).readSavedPinSource(file)

/** `svc audit`: checks that a deployment's history is one chain and continues the last audit. */
export const command = createCommand({
  usage: [
    'audit BASE [options]',
    'audit --check-evidence FILE [--pin KEYID] [--policy FILE] [--json]',
  ],
  about: `Audits the history of a deployment: the hash and the changes of every version,
the links between all versions, the link to the head of the last audit, and the
served resources against the newest version. BASE is the deployment's origin,
such as https://example.org, with or without ${BASE_PATH}.

With --policy, the transparency log too: its newest checkpoint is cosigned as the
policy asks and is not old, continues the one of the last audit, is one history
with every --mirror, and has the versions that the service signed. Versions of
the last 24 hours may be missing from it.

If the service signed responses that cannot all be true, they are written to a
file. So are two checkpoints of the log that contradict each other (FORK), a
version in the log that differs from the signed one (LOG_MISMATCH), and versions
that the service withholds more than 10 minutes after they were signed (WITHHELD;
before that, LAGGING, exit 3). Anyone can check that file with --check-evidence, without the service and without trusting
you.`,
  options: {
    pin: textOptions(`KEYID: ID of a trusted key; repeat it for several keys. Without it, the keys that
      the server names are trusted`),
    'pin-from': PIN_FROM_OPTION,
    policy: textOption(`FILE: whom you trust about the log (c2sp.org/tlog-policy): the log's key,
      the witnesses, and how many of them must agree`),
    mirror: textOptions('URL: a copy of the log to compare with; repeat it for several copies'),
    state: textOption(`FILE: load the head of the last audit from FILE and save the new one, with
      the source of --pin-from; without it, a history that was rewritten from the start passes`),
    'require-state': flag(`fail if FILE does not exist, so that a lost state file is not mistaken
      for a first audit`),
    moved: flag(`the service moved: accept a state file of another origin, if a key that it
      announces signs here`),
    evidence: textOption(`FILE: where to write evidence; an existing file is kept and the next free
      name is used (default: svc-evidence-FAULT-TIME.json)`),
    'every-version': flag('read all versions again, not only the new ones'),
    'check-evidence': textOption('FILE: check a file of evidence; nothing is fetched'),
    timeout: { ...numberOption('SECONDS: limit for each response', [1, 600]), default: '30' },
    'max-time': {
      ...numberOption('SECONDS: limit for the whole audit', [1, 86_400]),
      default: '900',
    },
    quiet: flag('print only warnings and failures'),
  },
  exit: `0 the history is valid (or the evidence proves its claim), 1 a finding, 2 wrong usage or
    a state file of another service, 3 no conclusion: unreachable, timed out, a proxy's
    error, or not settled: a release in progress explains what was found`,
  takesArguments: true,
  async run({ values, positionals }, output) {
    const { json, state, 'check-evidence': evidenceToCheck } = values
    const [base, ...rest] = positionals
    if (evidenceToCheck !== undefined) {
      const others = [base, state, values.evidence, values['pin-from'], values.mirror]
      if (others.some((each) => each !== undefined)) {
        throw new UsageError(
          '--check-evidence fetches nothing; only --pin and --policy are allowed with it',
        )
      }
      const pinnedKeyIds = parsePins(values.pin)
      if (pinnedKeyIds === undefined && values.policy === undefined) {
        throw new UsageError(
          '--check-evidence needs --pin, or --policy for a log: anyone can sign with their own key',
        )
      }
      const { checkEvidence } = await import('./auditing/check-evidence.ts')
      return checkEvidence(evidenceToCheck, { pinnedKeyIds, policy: await policyIn(values.policy) })
    }
    if (base === undefined) throw new UsageError('expected the URL of a deployment')
    if (rest.length > 0) throw new UsageError('expected one URL, found more')
    if (state === undefined && (values['require-state'] || values.moved)) {
      throw new UsageError('--require-state and --moved need --state FILE')
    }
    if (values.mirror !== undefined && values.policy === undefined) {
      throw new UsageError('--mirror needs --policy FILE')
    }
    const mirrors = (values.mirror ?? []).map(parseOrigin)
    const policy = await policyIn(values.policy)
    const origin = parseBase(base)
    const { pin } = values
    const pinFrom = values['pin-from'] ?? (await savedPinSource(state))
    // --pin replaces the remembered source for one run; given both, choosePins refuses.
    const isReplaced = pin !== undefined && values['pin-from'] === undefined
    const settings: ServiceAudit = {
      origin,
      pinnedKeyIds: await choosePins(
        { pin, pinFrom: isReplaced ? undefined : pinFrom },
        origin,
        output,
      ),
      pinFrom,
      stateFile: state,
      requireState: values['require-state'],
      moved: values.moved,
      policy,
      mirrors,
      evidenceFile: values.evidence,
      everyVersion: values['every-version'],
      timeoutMs: values.timeout * 1000,
      maxTimeMs: values['max-time'] * 1000,
      quiet: values.quiet,
      json,
    }
    const { auditService } = await import('./auditing/audit-service.ts')
    return auditService(settings, output)
  },
})
