import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import * as fc from 'fast-check'
import { parse } from 'yaml'
import {
  applySplices,
  changedLines,
  spliceYaml,
  YamlStyleError,
} from '../../../src/publishing/editing/rewrite-yaml.ts'

interface Status {
  state: string
  summary: string
  components: { id: string; state: string; since?: string }[]
  maintenances?: JsonValue[]
  incidents: {
    id: string
    title?: string
    startedAt?: string
    state?: string
    resolvedAt?: string
    components: string[]
    updates: { at: string; text: string }[]
  }[]
}

function rewrite(source: string, edit: (status: Status) => void): string {
  const status = parse(source) as Status
  edit(status)
  return applySplices(source, spliceYaml(source, status as unknown as JsonValue))
}

/** The item at an index. */
function itemAt<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  assert.ok(item !== undefined)
  return item
}

const SOURCE = `# The state.
state: operational   # of everything

summary: "All is well."
components:
    - id: 'api'
      # since the move
      state: operational
      since: 2026-01-01T00:00:00Z
    - { id: archive, state: operational, since: 2026-01-02T00:00:00Z } # rarely read
# None so far.
incidents: []   # newest first
# The end.
`

test('changes values and inserts items, and keeps comments, quotes, indentation and order', () => {
  const text = rewrite(SOURCE, (status) => {
    status.state = 'partial_outage'
    status.summary = 'The API is down: see "incidents".'
    itemAt(status.components, 0).state = 'major_outage'
    itemAt(status.components, 1).since = '2026-02-01T00:00:00Z'
    status.incidents.push({
      id: 'down',
      state: 'investigating',
      components: ['api'],
      updates: [{ at: '2026-02-01T00:00:00Z', text: 'We look into it. '.repeat(10).trim() }],
    })
  })
  assert.equal(
    text,
    `# The state.
state: partial_outage   # of everything

summary: "The API is down: see \\"incidents\\"."
components:
    - id: 'api'
      # since the move
      state: major_outage
      since: 2026-01-01T00:00:00Z
    - { id: archive, state: operational, since: 2026-02-01T00:00:00Z } # rarely read
# None so far.
incidents:    # newest first
  - id: down
    state: investigating
    components: [api]
    updates:
      - at: 2026-02-01T00:00:00Z
        text: >-
          We look into it. We look into it. We look into it. We look into it. We look into it. We look into it. We look
          into it. We look into it. We look into it. We look into it.
# The end.
`,
  )
})

test('inserts above the item and its comment, and after the field before', () => {
  const source = `incidents:
# the list
- id: b
  state: monitoring
  components: [x]
  updates:
  - at: "2"
    text: >- # folded
      First line
      second line

  - at: "1"
    text: Old
# about a
- id: a
  state: resolved
  components:
  - x
  updates: [{at: "0", text: t}]`
  const text = rewrite(source, ({ incidents }) => {
    const [first, second] = [itemAt(incidents, 0), itemAt(incidents, 1)]
    first.state = 'resolved'
    Object.assign(first, { id: 'b', state: 'resolved', resolvedAt: '3' })
    itemAt(first.updates, 0).text = 'Rewritten'
    first.updates.unshift({ at: '3', text: 'New' })
    second.components.push('y')
    second.updates.push({ at: '-1', text: 'older' })
    incidents.splice(1, 0, { id: 'ab', state: 'resolved', components: [], updates: [] })
  })
  assert.equal(
    text,
    `incidents:
# the list
- id: b
  state: resolved
  components: [x]
  updates:
  - at: "3"
    text: New
  - at: "2"
    text: >- # folded
      Rewritten

  - at: "1"
    text: Old
  resolvedAt: "3"
- id: ab
  state: resolved
  components: []
  updates: []
# about a
- id: a
  state: resolved
  components:
  - x
  - y
  updates: [{at: "0", text: t}, { at: "-1", text: older }]`,
  )
})

test('keeps JSON, Windows line ends and a missing line break at the end', () => {
  const json =
    '{"state": "operational", "components": [], "incidents": [\n  {"id": "a", "state": "x"}\n]}'
  const text = rewrite(json, (status) => {
    status.state = 'degraded'
    status.incidents.unshift({ id: 'b', state: 'y', components: [], updates: [] })
  })
  assert.deepEqual(
    text,
    '{"state": "degraded", "components": [], "incidents": [\n  {"id":"b","state":"y","components":[],"updates":[]},\n  {"id": "a", "state": "x"}\n]}',
  )
  const windows = SOURCE.replaceAll('\n', '\r\n').trimEnd()
  const edited = rewrite(windows, (status) => {
    status.incidents.push({ id: 'a', state: 'x', components: [], updates: [] })
  })
  assert.ok(!/[^\r]\n/.test(edited) && edited.endsWith('# The end.'))
})

test('keeps a byte order mark', () => {
  const source = '\ufeffcomponents:\n- id: a\n  state: x\nincidents: []\n'
  const text = rewrite(source, (status) => {
    status.components.push({ id: 'b', state: 'y' })
    status.incidents.push({ id: 'c', components: [], updates: [] })
  })
  const added = 'incidents:\n- id: c\n  components: []\n  updates: []\n'
  assert.equal(text, `\ufeffcomponents:\n- id: a\n  state: x\n- id: b\n  state: y\n${added}`)
})

test('shows the changed lines', () => {
  const status = parse(SOURCE) as Status
  status.state = 'degraded'
  status.components.unshift({ id: 'new', state: 'operational' })
  assert.deepEqual(changedLines(SOURCE, spliceYaml(SOURCE, status as unknown as JsonValue)), [
    '- state: operational   # of everything',
    '+ state: degraded   # of everything',
    '+     - id: new',
    '+       state: operational',
  ])
})

test('refuses to remove a value', () => {
  assert.throws(
    () => spliceYaml(SOURCE, { state: 'operational' }),
    (error) => error instanceof YamlStyleError,
  )
})

/** Texts of one line that need quotes in some styles. */
const someText = fc
  .array(
    fc.constantFrom(
      'word',
      'a: b',
      '# no comment',
      "it's",
      '"quoted"',
      '- dash',
      'ไทย',
      '[x]',
      '{y}',
      'yes',
      '12',
    ),
    {
      minLength: 1,
      maxLength: 25,
    },
  )
  .map((words) => words.join(' '))

/** Writes a value in styles that `pick` chooses, with numbered comments. */
function createWriter(pick: (choices: number) => number, eol: string) {
  let comments = 0
  const comment = (): string => `# comment ${(comments += 1)}:`
  const spaces = (): string => ' '.repeat(1 + pick(3))

  function scalar(text: string, inFlow: boolean, indent: string): string {
    const plain = /^\w+(?: [\w-]+)*$/.test(text) && !/^(?:yes|\d+)$/.test(text)
    const style = pick(inFlow ? 3 : 5)
    if (style === 3)
      return `>-${pick(2) === 0 ? '' : ` ${comment()}`}${eol}${indent}${text.replaceAll(' ', () => (pick(6) === 0 ? `${eol}${indent}` : ' '))}`
    if (style === 4) return `|-${eol}${indent}${text}`
    if (style === 2 && plain) return text
    return style === 1 ? `'${text.replaceAll("'", "''")}'` : JSON.stringify(text)
  }

  function flow(value: JsonValue): string {
    if (typeof value === 'string') return scalar(value, true, '')
    const gap = pick(2) === 0 ? '' : ' '
    if (Array.isArray(value))
      return `[${gap}${(value as JsonValue[]).map(flow).join(`,${gap}`)}${gap}]`
    const members = Object.entries(value as object).map(
      ([name, each]) => `${name}: ${flow(each as JsonValue)}`,
    )
    return `{${gap}${members.join(`,${gap} `)}${gap}}`
  }

  function block(value: JsonValue, indent: string): string {
    if (typeof value === 'string') {
      const text = scalar(value, false, `${indent}  `)
      const isLong = text.includes(eol)
      return ` ${text}${!isLong && pick(4) === 0 ? `${spaces()}${comment()}` : ''}${eol}${pick(6) === 0 ? eol : ''}`
    }
    const isEmpty = Array.isArray(value) && value.length === 0
    if (isEmpty || pick(5) === 0)
      return ` ${flow(value)}${pick(3) === 0 ? ` ${comment()}` : ''}${eol}`
    const inner = `${indent}${' '.repeat(Array.isArray(value) ? pick(3) : 2)}`
    return `${eol}${Array.isArray(value) ? list(value as JsonValue[], inner) : map(value as object, inner, true)}`
  }

  function list(items: readonly JsonValue[], indent: string): string {
    return items
      .map((item) => {
        const lead = pick(5) === 0 ? `${indent}${comment()}${eol}` : ''
        if (typeof item === 'string') return `${lead}${indent}-${block(item, indent)}`
        if (pick(6) === 0) return `${lead}${indent}- ${flow(item)}${eol}`
        const gap = spaces()
        return `${lead}${indent}-${gap}${map(item as object, `${indent} ${gap}`, false)}`
      })
      .join('')
  }

  function map(value: object, indent: string, hasIndent: boolean): string {
    return Object.entries(value)
      .map(([name, each], index) => {
        const lead = index > 0 && pick(6) === 0 ? `${indent}${comment()}${eol}` : ''
        return `${lead}${index > 0 || hasIndent ? indent : ''}${name}:${block(each as JsonValue, indent)}`
      })
      .join('')
  }

  return (value: object): string =>
    (pick(3) === 0 ? `${comment()}${eol}` : '') +
    (pick(8) === 0
      ? JSON.stringify(value, null, pick(3)).replaceAll('\n', eol)
      : map(value, '', false))
}

const changed = someText.map((text) => `CHANGED ${text}`)

const someStatus = fc.record({
  state: changed,
  summary: changed,
  components: fc.uniqueArray(
    fc.record({ id: fc.stringMatching(/^[a-z]{1,3}$/), state: changed, note: someText }),
    { minLength: 1, maxLength: 3, selector: ({ id }) => id },
  ),
  incidents: fc.uniqueArray(
    fc.record({
      id: fc.stringMatching(/^[a-z]{1,3}$/),
      title: someText,
      startedAt: fc.constant('2026-01-01T00:00:00Z'),
      components: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
      updates: fc.uniqueArray(fc.record({ at: fc.constantFrom('1', '2', '3'), text: someText }), {
        minLength: 1,
        maxLength: 3,
        selector: ({ at }) => at,
      }),
    }),
    { maxLength: 3, selector: ({ id }) => id },
  ),
})

test('in every style, only the changed values change', () => {
  fc.assert(
    fc.property(
      someStatus,
      fc.infiniteStream(fc.nat({ max: 1000 })),
      fc.constantFrom('\n', '\r\n'),
      fc.record({
        texts: fc.infiniteStream(someText),
        which: fc.infiniteStream(fc.boolean()),
        places: fc.infiniteStream(fc.nat({ max: 3 })),
      }),
      fc.boolean(),
      (made, choices, eol, { texts, which, places }, endsEarly) => {
        const pick = (count: number): number => (choices.next().value ?? 0) % count
        // Without null prototypes.
        const before = JSON.parse(JSON.stringify(made)) as Status
        let source = createWriter(pick, eol)(before)
        if (endsEarly) source = source.trimEnd()
        assert.deepEqual(parse(source), before, source)
        const after = structuredClone(before)
        const isIt = (): boolean => which.next().value === true
        const text = (): string => texts.next().value ?? ''
        const place = (): number => places.next().value ?? 0
        if (isIt()) after.state = text()
        if (isIt()) after.summary = text()
        for (const each of after.components) if (isIt()) each.state = text()
        for (const each of after.incidents) {
          if (isIt()) Object.assign(each, { resolvedAt: text() })
          if (isIt()) each.components.splice(place(), 0, 'new', 'newer')
          if (isIt()) each.updates.splice(place(), 0, { at: '9', text: text() })
        }
        const added = {
          id: 'added',
          title: text(),
          startedAt: '2',
          components: ['a'],
          updates: [{ at: '1', text: text() }],
        }
        if (isIt()) after.incidents.splice(place(), 0, added)
        if (isIt()) after.maintenances = [added]
        const splices = spliceYaml(source, after as unknown as JsonValue)
        const result = applySplices(source, splices)
        assert.deepEqual(parse(result), after, result)
        for (const { start, end } of splices) {
          const replaced = source.slice(start, end)
          const isHeader = /^[|>]-$/.test(replaced)
          assert.ok(
            start === end ||
              isHeader ||
              replaced.includes('CHANGED') ||
              /^ ?\[\s*\]\s*$/.test(replaced),
            `replaced ${JSON.stringify(replaced)}`,
          )
        }
        // Outside of the replaced values, comments stay, in their order.
        const commentsIn = (yaml: string) => yaml.match(/# comment \d+:/g) ?? []
        assert.deepEqual(commentsIn(result), commentsIn(source))
        if (eol === '\r\n') assert.ok(!/[^\r]\n/.test(result))
      },
    ),
    { numRuns: 150, seed: 20261123 },
  )
})

test('an item of a list moves with its comments', () => {
  const item = (id: string, indent = '  ') => `${indent}- id: ${id}
${indent}  # why
${indent}  title: '${id.toUpperCase()}' # short
${indent}  components: []
${indent}  updates: []
`
  const about = (id: string) => `  # about ${id}\n`
  const source = (ids: readonly string[]) =>
    `# Newest first.\nincidents:\n${ids.map((id, index) => `${index > 0 ? about(id) : ''}${item(id)}`).join('')}# The end.\n`
  const move = (from: number, to: number, text = source(['a', 'b', 'c'])) =>
    rewrite(text, ({ incidents }) => {
      const [moved] = incidents.splice(from, 1)
      assert.ok(moved)
      moved.title = 'Moved'
      incidents.splice(to, 0, moved)
    })
  const title = (id: string) => item(id).replace(`'${id.toUpperCase()}'`, "'Moved'")
  const start = '# Newest first.\nincidents:\n'
  const [a, b, c] = [item('a'), `${about('b')}${item('b')}`, `${about('c')}${item('c')}`]
  // A comment above the first item belongs to the list, and stays there.
  assert.equal(move(0, 2), `${start}${b}${c}${title('a')}# The end.\n`)
  assert.equal(move(2, 0), `${start}${about('c')}${title('c')}${a}${b}# The end.\n`)
  assert.equal(move(1, 2), `${start}${a}${c}${about('b')}${title('b')}# The end.\n`)
  const crlf = source(['a', 'b']).replace('# The end.\n', '').trimEnd().replaceAll('\n', '\r\n')
  assert.equal(
    move(1, 0, crlf),
    `${start}${about('b')}${title('b')}${a}`.trimEnd().replaceAll('\n', '\r\n'),
  )
  assert.throws(() => move(0, 1, "incidents: [{ id: a, title: 'A' }, { id: b }]\n"), YamlStyleError)
})

test('in every block style, a moved item leaves everything else as it is', () => {
  let moves = 0
  fc.assert(
    fc.property(
      someStatus.filter(({ incidents }) => incidents.length > 1),
      fc.infiniteStream(fc.nat({ max: 1000 })),
      fc.constantFrom('\n', '\r\n'),
      fc.nat({ max: 2 }),
      fc.nat({ max: 2 }),
      fc.boolean(),
      (made, choices, eol, from, to, endsEarly) => {
        const pick = (count: number): number => (choices.next().value ?? 0) % count
        const before = JSON.parse(JSON.stringify(made)) as Status
        const whole = createWriter(pick, eol)(before)
        const source = endsEarly ? whole.trimEnd() : whole
        const after = structuredClone(before)
        const [moved] = after.incidents.splice(from % before.incidents.length, 1)
        assert.ok(moved)
        Object.assign(moved, { startedAt: '2027-01-01T00:00:00Z' })
        after.incidents.splice(to, 0, moved)
        try {
          const result = applySplices(source, spliceYaml(source, after as unknown as JsonValue))
          assert.deepEqual(parse(result), after, result)
          const commentsIn = (yaml: string) => (yaml.match(/# comment \d+:/g) ?? []).toSorted()
          assert.deepEqual(commentsIn(result), commentsIn(source))
          if (eol === '\r\n') assert.ok(!/[^\r]\n/.test(result))
          moves += 1
        } catch (error) {
          if (!(error instanceof YamlStyleError)) throw error
          assert.match(source, /incidents"?:\s*\[/, source)
        }
      },
    ),
    { numRuns: 100, seed: 20261123 },
  )
  assert.ok(moves > 50, `${moves} moves`)
})
