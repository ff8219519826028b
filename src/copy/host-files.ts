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
    // Nothing is immutable here: Cloudflare gives the headers of a path to its 404 too, and what is missing may come to
    // exist, such as the next version.
    // Pages ask the service whether it has something newer.
    ['/*', securityHeaders([], [origin])],
    ...[...LOCALES.map((locale) => `${locale}/*`), 'statuspage/*', 'api/*', 'badge.svg'].map(
      (path) => [`/${path}`, ['Cache-Control', 'public, max-age=60']] as const,
    ),
    ...['/now.json', '/site.json', '/archive/versions.json', '/log/checkpoint', '/log/policy'].map(
      (path) => [path, ['Cache-Control', 'public, max-age=0, must-revalidate']] as const,
    ),
    ...['assets', 'cards', 'archive/versions', 'archive/resources', 'log/tile'].map(
      (folder) => [`/${folder}/*`, ['Cache-Control', 'public, max-age=600']] as const,
    ),
    ...['/now.json', '/archive/*', '/log/*', '/statuspage/*', '/api/*'].map(
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
  // Of two rules for one path, Cloudflare obeys the last one alone.
  const byPath = Map.groupBy(rules, ([path]) => path)
  return Array.from(byPath, ([path, same]) => {
    const pairs = same.flatMap(([, headers]) => headers)
    const lines = pairs.flatMap((name, index) =>
      index % 2 === 0 ? [`  ${name}: ${pairs[index + 1]}\n`] : [],
    )
    return `${path}\n${lines.join('')}`
  }).join('')
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
    // The program serve takes now.json for its configuration, and ends, unless it finds this one first.
    ['serve.json', '{}\n'],
    // GitHub Pages leaves out names that begin with a dot or an underscore unless this file exists.
    ['.nojekyll', ''],
  ]
}
