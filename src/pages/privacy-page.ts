import { LIMITS } from '../contract/limits.ts'
import { bulletList, codeLink, dataTable, factList } from './elements.ts'
import { SAVED_HEAD_NAME } from './history-audit.ts'
import { isHosted } from './hosted-provider.ts'
import { code, html, type Html, joinHtml } from './html.ts'
import { type Page, type PageBody, type PageContext, type PageSection, pathOfPage } from './page.ts'
import { operatorText, richText, sentencesHtml } from './rich-text.ts'
import { SECURITY_TXT_PATH } from './well-known-files.ts'

function challengeText({ texts, facts }: PageContext): Html {
  const { challenge, providers } = texts.privacy
  const { provider } = facts.challenge
  if (isHosted(provider)) return richText(challenge.hosted, { provider: providers[provider] })
  return html`${provider === 'test' ? challenge.test : challenge.altcha}`
}

/** The displayed number or address of a contact. */
function contactLink(contact: string): Html {
  const shown = contact.replace(/^(?:mailto|tel):([^?;]*).*$/, '$1')
  return html`<a href="${contact}"><code>${decodable(shown)}</code></a>`
}

function decodable(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function waitlist({ texts }: PageContext): Html {
  const { privacy } = texts
  const rows = dataTable(Object.values(privacy.rows), {
    caption: privacy.waitlistTable,
    columns: [
      { title: privacy.what, isHeader: true, cell: ({ what }) => what },
      { title: privacy.how, cell: ({ how }) => html`<p>${how}</p>` },
    ],
  })
  return html`${rows}
    <p>${richText(privacy.waitlistAddress, { limit: LIMITS.registrationPerActor.requests })}</p>
    <p>${privacy.waitlistAnswer}</p>
    <p>${privacy.waitlistUse}</p>`
}

/** The contact for security reports, or the one that the organization published. */
function contactSections({ texts, facts, content }: PageContext): Html {
  const { privacy } = texts
  const { email, url } = content.organization?.contact ?? {}
  const contact = facts.contact ?? (email === undefined ? url : `mailto:${email}`)
  if (contact === undefined) return html`<p>${privacy.noContact}</p>`
  return html`<p>${richText(privacy.contact, { contact: contactLink(contact) })}</p>
    ${facts.contact !== undefined && html`<p>${richText(privacy.securityTxt, { link: codeLink(SECURITY_TXT_PATH) })}</p>`}`
}

/** The data controller, as published by the operator; a demonstration names none. */
function controllerSection(context: PageContext): readonly PageSection[] {
  const { texts, content } = context
  const t = texts.privacy
  const { organization } = content
  if (organization === undefined) return []
  const { controller, address, contact, retention } = organization.privacy
  const { name, email, url } = contact
  const ways = [
    name,
    email === undefined ? undefined : html`<a href="mailto:${email}">${email}</a>`,
    url === undefined ? undefined : html`<a href="${url}">${url}</a>`,
  ].filter((each) => each !== undefined)
  return [
    [
      'controller',
      t.controllerTitle,
      factList([
        [t.controller, operatorText(content, controller)],
        [t.controllerAddress, operatorText(content, address)],
        [t.controllerContact, joinHtml(ways, html`<br />`)],
        [t.retention, operatorText(content, retention)],
      ]),
    ],
  ]
}

function body(context: PageContext): PageBody {
  const { locale, texts, facts, content } = context
  const { privacy, history } = texts
  const historyLink = html`<a href="${pathOfPage(locale, 'history')}">${history.title}</a>`
  const isForeign = isHosted(facts.challenge.provider)
  const sections: readonly PageSection[] = [
    [
      'reading',
      privacy.readingTitle,
      bulletList([...privacy.reading, isForeign ? privacy.ownButForm : privacy.ownOnly]),
    ],
    ['waitlist', privacy.waitlistTitle, waitlist(context)],
    ...controllerSection(context),
    [
      'kept',
      privacy.keptTitle,
      html`${content.organization === undefined && html`<p>${privacy.keptLong}</p>`}
        <p>
          ${sentencesHtml(locale, [
            facts.contact === undefined ? privacy.eraseNoContact : privacy.erase,
            richText(privacy.eraseHow, { command: code('svc waitlist erase') }),
          ])}
        </p>`,
    ],
    ['challenge', privacy.challengeTitle, html`<p>${challengeText(context)}</p>`],
    ['keys', privacy.keysTitle, html`<p>${privacy.keys}</p>`],
    [
      'browser',
      privacy.browserTitle,
      html`<p>
        ${richText(privacy.browser, {
          name: code(SAVED_HEAD_NAME),
          page: historyLink,
        })}
      </p>`,
    ],
    [
      'report',
      privacy.contactTitle,
      html`${contactSections(context)}
        <p>${privacy.report}</p>`,
    ],
  ]
  return {
    main: html`<h1>${privacy.title}</h1>
      <p class="lead">${privacy.lead}</p>
      <p>${privacy.scope}</p>`,
    sections,
  }
}

/** The data of visitors that the service stores. */
export const PRIVACY_PAGE: Page = {
  path: 'privacy',
  title: (texts) => texts.privacy.title,
  description: (texts) => texts.privacy.description,
  body,
}
