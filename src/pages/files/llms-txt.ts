import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { markdownPath, pathOfPage } from '../addresses.ts'
import { parseMarkup } from '../markdown/page-tree.ts'
import { writeMarkdown } from '../markdown/write-markdown.ts'
import { factList, link } from '../markup/elements.ts'
import { code, html } from '../markup/html.ts'
import { richText } from '../markup/rich-text.ts'
import { isListed, type PageContext, type PageGroups, siteName } from '../page.ts'
import { TEXTS } from '../texts/texts.ts'

/** The pages in Markdown with their descriptions, and where the other languages and the data are. */
export function renderLlmsTxt(context: PageContext, groups: PageGroups): string {
  const { locale, texts, facts, content } = context
  const { languages } = facts
  const markup = html`<h1>${siteName(context)}</h1>
    <blockquote>${content.organization?.description ?? texts.overview.description}</blockquote>
    <p>
      ${richText(texts.site.llmsText, { ending: code('.md'), header: code('Accept: text/markdown') })}
    </p>
    ${groups.map(
      ({ name, pages }) =>
        html`<h2>${texts.site.groups[name]}</h2>
          ${factList(
            pages
              .filter((page) => isListed(page, facts))
              .map((page) => [
                link(markdownPath(pathOfPage(locale, page.path)), page.title(texts)),
                page.description(texts, facts),
              ]),
          )}`,
    )}
    <h2>${texts.site.languages}</h2>
    <ul>
      ${languages.map(
        (each) =>
          html`<li>${link(markdownPath(pathOfPage(each, '')), TEXTS[each].site.language)}</li>`,
      )}
    </ul>
    <h2>Optional</h2>
    <ul>
      <li>${link(READ_PATHS.index, texts.site.footer.api)}</li>
      <li>${link(READ_PATHS.openapi, texts.reference.openapiDocument)}</li>
      <li>${link(READ_PATHS.policy, texts.reference.policyDocument)}</li>
    </ul>`
  return writeMarkdown(parseMarkup(markup.text), (href) => URL.parse(href, facts.origin))
}
