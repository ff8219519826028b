/** A comment of status.yaml with the summary from before an incident or a maintenance, as a JSON string. */
const COMMENT = /^# The usual summary: ("(?:[^"\\\n]|\\.)*")\r?\n/m
const SUMMARY = /^["']?summary["']?[ \t]*:/m

/** The summary that a status.yaml remembers. */
export function readUsualSummary(text: string): string | undefined {
  const [, json] = COMMENT.exec(text) ?? []
  if (json === undefined) return undefined
  try {
    const summary: unknown = JSON.parse(json)
    return typeof summary === 'string' ? summary : undefined
  } catch {
    return undefined
  }
}

/** A status.yaml that remembers another summary, or none. */
export function writeUsualSummary(text: string, summary: string | undefined): string {
  const bare = text.replace(COMMENT, '')
  if (summary === undefined) return bare
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const comment = `# The usual summary: ${JSON.stringify(summary)}${eol}`
  return bare.replace(SUMMARY, (start) => comment + start)
}
