/** Reads the index of a sitemap and the files that it names, as one text. `read` returns the text at a path. */
export async function readSitemap(
  read: (path: string) => Promise<string> | string,
): Promise<string> {
  const index = await read('/sitemap.xml')
  const parts = [...index.matchAll(/<loc>[^<]*(\/sitemap-[^<]+)<\/loc>/g)].map(([, path]) => path)
  const texts: string[] = []
  for (const path of parts) texts.push(await read(path ?? ''))
  return texts.join('')
}
