import path from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/** A reporter of node:test: how many tests ran, and which were skipped with their reasons, as one line of JSON. */
// oxlint-disable-next-line import/no-default-export -- node:test uses the default export of a reporter
export default async function* reportCounts(
  source: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  let tests = 0
  const skipped: string[] = []
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details.type !== 'suite') tests += 1
    if (data.skip === undefined || data.skip === false) continue
    const reason = typeof data.skip === 'string' ? ` (${data.skip})` : ''
    skipped.push(`${path.relative('.', data.file ?? '')}: ${data.name}${reason}`)
  }
  yield `${JSON.stringify({ tests, skipped })}\n`
}
