import { canonicalJson } from '../json/canonical-json.ts'
import { keysOf } from '../schemas/fields.ts'
import type { SnapshotData } from './snapshot-schemas.ts'
import { WALLET_SCHEMAS } from './snapshot-wallet.ts'

/** The wallet views, in the order the API lists them. */
export const WALLET_NAMES = keysOf(WALLET_SCHEMAS)

const head = {
  attached: false,
  summary: 'No wallet is attached to this service.',
  // When these texts were last reviewed. A constant, so that publishing again changes nothing.
  updatedAt: '2026-01-01T00:00:00Z',
} as const

/** Content of the wallet views if the content folder has no wallet files. */
export const NO_WALLET_VIEWS: { readonly [N in keyof typeof WALLET_SCHEMAS]: SnapshotData<N> } = {
  wallet: {
    ...head,
    networks: [],
    views: Object.entries({
      architecture: 'How a wallet is separated from this service.',
      security: 'Custody, controls and reviews.',
      evidence: 'Published evidence that a reader can check.',
      capabilities: 'What the views can do.',
      integration: 'Which interfaces exist.',
      development: 'The work on the wallet.',
    }).map(([id, summary]) => ({ id, path: `/api/v1/wallet/${id}`, summary })),
    boundaries: [],
  },
  'wallet/architecture': { ...head, components: [], flows: [], boundaries: [] },
  'wallet/security': { ...head, custody: 'none', controls: [], reviews: [], neverPublished: [] },
  'wallet/evidence': { ...head, evidence: [] },
  'wallet/capabilities': { ...head, capabilities: [] },
  'wallet/integration': { ...head, interfaces: [] },
  'wallet/development': { ...head, items: [] },
}

/** Whether the wallet overview is the built-in one of a service without wallet files. */
export function publishesNoWallet(wallet: SnapshotData<'wallet'>): boolean {
  return canonicalJson(wallet) === canonicalJson(NO_WALLET_VIEWS.wallet)
}
