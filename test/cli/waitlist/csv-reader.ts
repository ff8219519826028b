import assert from 'node:assert/strict'

/** Reads CSV as RFC 4180 has it, strictly: CRLF after each record, quotes only around whole fields. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const records: string[][] = []
  let record: string[] = []
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  while (field.lastIndex < text.length) {
    const at = field.lastIndex
    const match = field.exec(text)
    assert.ok(match !== null, `no CSV at character ${at}`)
    record.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] === ',') continue
    records.push(record)
    record = []
  }
  assert.equal(record.length, 0, 'expected a line end after the last record')
  return records
}
