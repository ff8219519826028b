import { WALLET_NAMES } from '../contract/no-wallet.ts'
import { html } from './html.ts'
import type { Page } from './page.ts'
import { languageNote } from './snapshot-sections.ts'
import { walletBoundary } from './wallet-boundary.ts'
import { walletViews } from './wallet-views.ts'

/** The seven wallet views. */
export const WALLET_PAGE: Page = {
  path: 'wallet',
  isListed: ({ hasWallet }) => hasWallet,
  title: (texts) => texts.wallet.title,
  description: (texts) => texts.wallet.description,
  body(context) {
    const t = context.texts.wallet
    const wallet = context.content.snapshot('wallet')
    const [severity, word] = wallet?.attached ? ['good', t.attached] : ['idle', t.notAttached]
    return {
      main: html`<h1>${t.title}</h1>
        ${wallet && html`<p class="lead"><span class="state state-${severity}">${word}</span></p>`}
        <p>${t.published}</p>
        ${languageNote(context, ...WALLET_NAMES)}${walletBoundary(context)}`,
      sections: walletViews(context),
    }
  },
}
