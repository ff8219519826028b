import { escapeHtml, Html } from './html.ts'

/** Characters that XML 1.0 excludes (production Char). */
const EXCLUDED = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** Text escaped for an XML element or a quoted attribute. A character that XML excludes becomes U+FFFD. */
function escapeXml(text: string): string {
  return escapeHtml(text.replaceAll(EXCLUDED, '\ufffd'))
}

/** An XML element. Texts are escaped; an empty element is closed by its own tag. */
export function xmlElement(
  name: string,
  attributes: { readonly [name: string]: string },
  content: readonly (string | Html)[] = [],
): Html {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
  const inside = content.map((each) => (each instanceof Html ? each.text : escapeXml(each)))
  const start = `<${name}${written.join('')}`
  return new Html(content.length === 0 ? `${start}/>` : `${start}>${inside.join('')}</${name}>`)
}

/** An XML document in UTF-8. */
export function xmlDocument(root: Html): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${root.text}\n`
}
