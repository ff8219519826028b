import { type Locale, LOCALES } from '@public-api/contract/terms/locales'
import { pathOfPage } from '../pages/addresses.ts'
import { escapeHtml } from '../pages/markup/html.ts'
import { securityHeaders } from '../pages/serving/security-headers.ts'
import { TEXTS } from '../pages/texts/texts.ts'

/** A page that leads to another one without a script, for hosts that cannot redirect by language. */
function redirectPage(path: string, languages: readonly Locale[]): string {
  const [first = 'en'] = languages
  const links = languages.map(
    (locale) =>
      `<p><a href="${pathOfPage(locale, path)}" lang="${locale}">${escapeHtml(TEXTS[locale].site.language)}</a></p>`,
  )
  return `<!DOCTYPE html>
<html lang="${first}"><head><meta charset="utf-8"><title>${escapeHtml(TEXTS[first].site.name)}</title>
<meta http-equiv="refresh" content="0;url=${pathOfPage(first, path)}"></head><body>
${links.join('\n')}
</body></html>
`
}

/** Headers by path, in the format that Cloudflare Pages and Netlify read. */
function headersFile(origin: string): string {
  const rules: readonly (readonly [path: string, headers: readonly string[]])[] = [
    // Pages ask the service whether it has something newer.
    ['/*', securityHeaders([], [origin])],
    ...[...LOCALES, 'statuspage'].map(
      (folder) => [`/${folder}/*`, ['Cache-Control', 'public, max-age=60']] as const,
    ),
    ...['/now.json', '/site.json', '/archive/versions.json', '/log/checkpoint', '/log/policy'].map(
      (path) => [path, ['Cache-Control', 'public, max-age=0, must-revalidate']] as const,
    ),
    ...['assets', 'cards', 'archive/versions', 'archive/resources', 'log/tile'].map(
      (folder) =>
        [`/${folder}/*`, ['Cache-Control', 'public, max-age=31536000, immutable']] as const,
    ),
    ...['/now.json', '/archive/*', '/log/*', '/statuspage/*'].map(
      (path) => [path, ['Access-Control-Allow-Origin', '*']] as const,
    ),
    ...LOCALES.flatMap((locale) =>
      ['atom', 'json', 'ics'].map(
        (ending) => [`/${locale}/*.${ending}`, ['Access-Control-Allow-Origin', '*']] as const,
      ),
    ),
    ['/log/checkpoint', ['Content-Type', 'text/plain; charset=utf-8']],
    ['/log/policy', ['Content-Type', 'text/plain; charset=utf-8']],
    ['/log/tile/*', ['Content-Type', 'application/octet-stream']],
    ['/*.md', ['Content-Type', 'text/markdown; charset=utf-8']],
    ...LOCALES.flatMap((locale) =>
      ['feed', 'changelog', 'status', 'status/*'].map(
        (feed) =>
          [
            `/${locale}/${feed}.json`,
            ['Content-Type', 'application/feed+json; charset=utf-8'],
          ] as const,
      ),
    ),
    ['/*.atom', ['Content-Type', 'application/atom+xml; charset=utf-8']],
    ['/.well-known/api-catalog', ['Content-Type', 'application/linkset+json']],
  ]
  return rules
    .map(([path, headers]) => {
      const lines: string[] = []
      for (let index = 0; index < headers.length; index += 2) {
        lines.push(`  ${headers[index]}: ${headers[index + 1]}`)
      }
      return `${path}\n${lines.join('\n')}\n`
    })
    .join('')
}

/** Files that only static hosts need, by name. */
export function hostFiles({
  origin,
  languages,
}: {
  readonly origin: string
  readonly languages: readonly Locale[]
}): readonly (readonly [file: string, text: string])[] {
  return [
    ['index.html', redirectPage('', languages)],
    ['_headers', headersFile(origin)],
    // GitHub Pages leaves out names that begin with a dot or an underscore unless this file exists.
    ['.nojekyll', ''],
  ]
}
