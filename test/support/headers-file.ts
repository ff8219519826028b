import assert from 'node:assert/strict'

/** The headers that `_headers` gives to a path. Throws if two rules give it the same header. */
export function readHeadersFile(text: string) {
  const paths = new Set<string>()
  const rules = text.split(/\n(?=\/)/).map((rule) => {
    const [pattern = '', ...lines] = rule.trim().split('\n')
    const parts = pattern.split('*').map((part) => part.replaceAll('.', String.raw`\.`))
    assert.ok(!paths.has(pattern), `${pattern} twice`)
    paths.add(pattern)
    const headers = lines.map((line) => /^ {2}([\w-]+): (.+)$/.exec(line)?.slice(1) ?? [])
    return { pattern: new RegExp(`^${parts.join('.*')}$`), headers }
  })
  return (target: string): ReadonlyMap<string, string> => {
    const found = new Map<string, string>()
    for (const { pattern, headers } of rules) {
      for (const [name = '', value = ''] of pattern.test(target) ? headers : []) {
        assert.ok(!found.has(name), `${target}: two rules for ${name}`)
        found.set(name, value)
      }
    }
    return found
  }
}
