import { LIMITS } from '@public-api/contract/terms/limits'
import { pathOfPage } from '../addresses.ts'
import { SECURITY_TXT_PATH } from '../files/well-known-files.ts'
import { SAVED_HEAD_NAME } from '../history/history-page.ts'
import { bulletList, codeLink, dataTable, factList, link } from '../markup/elements.ts'
import { code, html, type Html, joinHtml } from '../markup/html.ts'
import { operatorText, richText, sentencesHtml } from '../markup/rich-text.ts'
import { type Page, type PageBody, type PageContext, type PageSection } from '../page.ts'
import { isHosted, providerText } from './early-access-form.ts'

/** The number or address of a contact, without its scheme and its parameters. */
function shownContact(contact: string): string {
  const shown = contact.replace(/^(?:mailto|tel):([^?;]*).*$/, '$1')
  try {
    return decodeURIComponent(shown)
  } catch {
    return shown
  }
}

/** The contact for security reports, or the one that the organization published. */
function contactText({ texts, facts, content }: PageContext): Html {
  const { privacy } = texts
  const { email, url } = content.organization?.contact ?? {}
  const contact = facts.contact ?? (email === undefined ? url : `mailto:${email}`)
  const shown = contact && html`<a href="${contact}"><code>${shownContact(contact)}</code></a>`
  return html`<p>${shown ? richText(privacy.contact, { contact: shown }) : privacy.noContact}</p>
    ${
      facts.contact !== undefined &&
      html`<p>${richText(privacy.securityTxt, { link: codeLink(SECURITY_TXT_PATH) })}</p>`
    }
    <p>${privacy.report}</p>`
}

/** The data controller, as published by the operator; a demonstration names none. */
function controllerSection({ texts, content }: PageContext): PageSection | undefined {
  const t = texts.privacy
  if (content.organization === undefined) return undefined
  const { controller, address, contact, retention } = content.organization.privacy
  const { name, email, url } = contact
  const ways = [name, email && link(`mailto:${email}`, email), url && link(url, url)]
  const facts = factList([
    [t.controller, operatorText(content, controller)],
    [t.controllerAddress, operatorText(content, address)],
    [
      t.controllerContact,
      joinHtml(
        ways.filter((each) => each !== undefined),
        html`<br />`,
      ),
    ],
    [t.retention, operatorText(content, retention)],
  ])
  return ['controller', t.controllerTitle, facts]
}

/** How to have a registration erased: by the contact for personal data, else by that of the deployment. */
function erasureText({ texts: { privacy }, facts, content }: PageContext): Html | string {
  const { email } = content.organization?.privacy.contact ?? {}
  if (email !== undefined) {
    return richText(privacy.eraseByContact, { contact: link(`mailto:${email}`, email) })
  }
  return facts.contact === undefined ? privacy.eraseNoContact : privacy.erase
}

function body(context: PageContext): PageBody {
  const { locale, texts, facts, content } = context
  const { privacy, history } = texts
  const { provider } = facts.challenge
  const own = isHosted(provider) ? privacy.ownButForm : privacy.ownOnly
  const waitlistRows = dataTable(Object.values(privacy.rows), {
    caption: privacy.waitlistTable,
    columns: [
      { title: privacy.what, isHeader: true, cell: ({ what }) => what },
      { title: privacy.how, cell: ({ how }) => html`<p>${how}</p>` },
    ],
  })
  const { requests } = LIMITS.registrationPerActor
  const waitlist = html`${waitlistRows}
    <p>${richText(privacy.waitlistAddress, { limit: requests })}</p>
    <p>${privacy.waitlistAnswer}</p>
    <p>${privacy.waitlistUse}</p>`
  const kept = html`${content.organization === undefined && html`<p>${privacy.keptLong}</p>`}
    <p>${sentencesHtml(locale, [erasureText(context), privacy.eraseHow])}</p>`
  const browser = richText(privacy.browser, {
    name: code(SAVED_HEAD_NAME),
    page: link(pathOfPage(locale, 'history'), history.title),
  })
  return {
    main: html`<h1>${privacy.title}</h1>
      <p class="lead">${privacy.lead}</p>
      <p>${privacy.scope}</p>`,
    sections: [
      ['reading', privacy.readingTitle, bulletList([...privacy.reading, own])],
      ['waitlist', privacy.waitlistTitle, waitlist],
      controllerSection(context),
      ['kept', privacy.keptTitle, kept],
      [
        'challenge',
        privacy.challengeTitle,
        html`<p>${providerText(context, privacy.challenge)}</p>`,
      ],
      ['keys', privacy.keysTitle, html`<p>${privacy.keys}</p>`],
      [
        'browser',
        privacy.browserTitle,
        html`<p>${browser}</p>
          <p>
            ${richText(privacy.browserTheme, { name: code('theme'), sample: code('sample') })}
          </p>`,
      ],
      // The policy that security.txt names.
      ['report', privacy.contactTitle, contactText(context)],
    ],
  }
}

/** The data of visitors that the service stores. */
export const PRIVACY_PAGE: Page = {
  path: 'privacy',
  title: (texts) => texts.privacy.title,
  description: (texts) => texts.privacy.description,
  body,
}
