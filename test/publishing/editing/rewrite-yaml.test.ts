import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import * as fc from 'fast-check'
import { parse } from 'yaml'
import { changedLines, rewriteYaml } from '../../../src/publishing/editing/rewrite-yaml.ts'

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
  return rewriteYaml(source, status as unknown as JsonValue)
}

/** The item at an index. */
function itemAt<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  assert.ok(item !== undefined)
  return item
}

/** The unified lines that an edit changes. */
function changes(source: string, edit: (status: Status) => void): string {
  return changedLines(source, rewrite(source, edit)).join('\n')
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

test('changes only the lines of what changed, in the style of the file', () => {
  assert.equal(
    changes(SOURCE, (status) => {
      status.summary = 'Down: see "incidents".'
      itemAt(status.components, 0).state = 'major_outage'
      itemAt(status.components, 1).since = '2026-02-01T00:00:00Z'
      status.incidents.push({
        id: 'down',
        components: ['api'],
        updates: [{ at: '2026-02-01T00:00:00Z', text: 'We look into it. '.repeat(7).trim() }],
      })
    }),
    `- summary: "All is well."
+ summary: "Down: see \\"incidents\\"."
-       state: operational
+       state: major_outage
-     - { id: archive, state: operational, since: 2026-01-02T00:00:00Z } # rarely read
+     - { id: archive, state: operational, since: 2026-02-01T00:00:00Z } # rarely read
- incidents: []   # newest first
+ incidents:
+     # newest first
+     - id: down
+       components: [ api ]
+       updates:
+           - at: 2026-02-01T00:00:00Z
+             text: >-
+                 We look into it. We look into it. We look into it. We look into it. We look into it. We look into it. We
+                 look into it.`,
  )
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
  components:
  - x
  updates: [{at: "0", text: t}]`
  assert.equal(
    changes(source, ({ incidents }) => {
      const [first, second] = [itemAt(incidents, 0), itemAt(incidents, 1)]
      Object.assign(first, { state: 'resolved', resolvedAt: '3' })
      itemAt(first.updates, 0).text = 'Rewritten'
      first.updates.unshift({ at: '3', text: 'New' })
      second.components.push('y')
      second.updates.push({ at: '-1', text: 'older' })
      incidents.splice(1, 0, { id: 'ab', components: [], updates: [] })
    }),
    `-   state: monitoring
+   state: resolved
+   - at: "3"
+     text: New
-       First line
-       second line
+       Rewritten
+   resolvedAt: "3"
+ - id: ab
+   components: []
+   updates: []
-   updates: [{at: "0", text: t}]
+   - y
+   updates: [{at: "0", text: t}, {at: "-1", text: older}]`,
  )
})

for (const indent of [' ', '   ']) {
  test(`keeps the lines of lists that are indented by ${indent.length}`, () => {
    const list = (items: readonly string[]) =>
      `# ours\nstate: "a"   # now\nitems:\n${items.map((id) => `${indent}- id: ${id}\n${indent}  name: '${id}'\n`).join('')}`
    const items = (ids: readonly string[]) => ids.map((id) => ({ id, name: id }))
    const source = list(['x', 'y', 'z'])
    const after = rewriteYaml(source, { state: 'a', items: items(['new', 'x', 'y', 'z']) })
    assert.equal(after.replace('name: new', "name: 'new'"), list(['new', 'x', 'y', 'z']))
  })
}

test('keeps Windows line ends, a byte order mark and a missing line break at the end', () => {
  const source = `\ufeff${SOURCE.trimEnd().replaceAll('\n', '\r\n')}`
  const text = rewrite(source, (status) => {
    itemAt(status.components, 0).state = 'degraded'
  })
  assert.equal(
    text,
    source.replace('state: operational\r\n      since', 'state: degraded\r\n      since'),
  )
})

test('an item that moves takes its comments along, and one that is removed takes them away', () => {
  const item = (id: string) =>
    `  # about ${id}\n  - id: ${id}\n    # why\n    title: '${id}' # short\n`
  const source = `state:  x # kept\nincidents:\n  - id: a\n${item('b')}${item('c')}# The end.\n`
  const start = 'state:  x # kept\nincidents:\n  - id: a\n'
  assert.equal(
    rewrite(source, (status) => {
      status.incidents = status.incidents.toReversed()
    }),
    `state:  x # kept\nincidents:\n${item('c')}${item('b')}  - id: a\n# The end.\n`,
  )
  assert.equal(
    rewrite(source, ({ incidents }) => void incidents.splice(1, 1)),
    `${start}${item('c')}# The end.\n`,
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

test('in every style, the values are right and all comments stay', () => {
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
        if (isIt()) after.incidents = after.incidents.toReversed()
        const result = rewriteYaml(source, after as unknown as JsonValue)
        assert.deepEqual(parse(result), after, result)
        const commentsIn = (yaml: string) => (yaml.match(/# comment \d+:/g) ?? []).toSorted()
        assert.deepEqual(commentsIn(result), commentsIn(source))
        if (source.includes('\r\n')) assert.ok(!/[^\r]\n/.test(result))
      },
    ),
    { numRuns: 150, seed: 20261123 },
  )
})
