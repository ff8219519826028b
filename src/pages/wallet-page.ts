import { WALLET_NAMES } from '../contract/no-wallet.ts'
import type { SnapshotData, SnapshotName } from '../contract/snapshot-schemas.ts'
import { html, type Html, type HtmlValue } from './html.ts'
import type { Page, PageContext } from './page.ts'
import { fromSnapshot, languageNote, snapshotHead } from './snapshot-sections.ts'
import type { Texts } from './texts.ts'
import { walletBoundary } from './wallet-boundary.ts'
import {
  architectureView,
  capabilitiesView,
  developmentView,
  evidenceView,
  integrationView,
  overviewView,
  securityView,
} from './wallet-views.ts'

interface View {
  /** Id of a section, and the key of its title. */
  readonly id: keyof Texts['wallet']
  render(context: PageContext): HtmlValue
}

function viewOf<Name extends SnapshotName & `wallet${string}`>(
  id: View['id'],
  name: Name,
  render: (context: PageContext, data: SnapshotData<Name>) => Html,
): View {
  return {
    id,
    render: (context) =>
      fromSnapshot(context, name, (data) => [
        snapshotHead(context, name, data),
        render(context, data),
      ]),
  }
}

const VIEWS: readonly View[] = [
  viewOf('overview', 'wallet', overviewView),
  viewOf('architecture', 'wallet/architecture', architectureView),
  viewOf('security', 'wallet/security', securityView),
  viewOf('evidence', 'wallet/evidence', evidenceView),
  viewOf('capabilities', 'wallet/capabilities', capabilitiesView),
  viewOf('integration', 'wallet/integration', integrationView),
  viewOf('development', 'wallet/development', developmentView),
]

/** Whether a wallet is attached. Omitted if the view is damaged. */
function attachment({ texts, content }: PageContext): Html | undefined {
  const wallet = content.snapshot('wallet')
  if (wallet === undefined) return undefined
  const { attached, notAttached } = texts.wallet
  const [severity, word] = wallet.attached ? ['good', attached] : ['idle', notAttached]
  return html`<p class="lead"><span class="state state-${severity}">${word}</span></p>`
}

/** The seven wallet views. */
export const WALLET_PAGE: Page = {
  path: 'wallet',
  isListed: ({ hasWallet }) => hasWallet,
  title: (texts) => texts.wallet.title,
  description: (texts) => texts.wallet.description,
  body(context) {
    const t = context.texts.wallet
    return {
      main: html`<h1>${t.title}</h1>
        ${attachment(context)}
        <p>${t.published}</p>
        ${languageNote(context, ...WALLET_NAMES)}${walletBoundary(context)}`,
      sections: VIEWS.map(({ id, render }) => [id, t[id], render(context)]),
    }
  },
}
