/** Path of a field in a resource: member names and list indexes, from the top. */
export type FieldPath = readonly (string | number)[]

/** A place in a file. */
export interface SourcePlace {
  /** The file as the operator would open it. */
  readonly file: string
  /** 1 for the first line. */
  readonly line: number
  /** 1 for the first character, counted in UTF-16 code units. */
  readonly column: number
}

/** A mistake in the content, with its place. */
export interface ContentMistake extends SourcePlace {
  /** The field as the operator would name it, `components[0].state`; empty for the file as a whole. */
  readonly field: string
  /** What was found. Never contains a text that the leak guard reported. */
  readonly found: string
  /** What was expected. */
  readonly expected: string
  /** The rule of the leak guard that found it. */
  readonly rule?: string
}

/** What is wrong with a value, or with its name. Its place in a file follows from the path. */
export interface Fault {
  readonly path: FieldPath
  readonly found: string
  readonly expected: string
  readonly part?: 'name' | undefined
}

/** The faults of a value, one by one. */
export type Faults = Generator<Fault, void>

/** The result of a step: what it could determine, and every mistake it found. */
export interface Checked<Value> {
  readonly value?: Value | undefined
  readonly mistakes: readonly ContentMistake[]
  /** Warnings: what was left out or may be wrong, one line each with its place. */
  readonly notes?: readonly string[] | undefined
}

/** Creates a fault. */
export function fault(path: FieldPath, found: string, expected: string, part?: 'name'): Fault {
  return { path, found, expected, part }
}

/** A mistake at a place. The path is empty for the file as a whole. */
export function mistakeAt(
  { file, line, column }: SourcePlace,
  path: FieldPath,
  found: string,
  expected: string,
): ContentMistake {
  return { file, line, column, field: formatFieldPath(path), found, expected }
}

/** A mistake of a file as a whole. */
export function mistakeOf(file: string, found: string, expected: string): ContentMistake {
  return mistakeAt({ file, line: 1, column: 1 }, [], found, expected)
}

/** Faults with their places. */
export function locateFaults(
  place: (path: FieldPath, part?: 'name') => SourcePlace,
  faults: Iterable<Fault>,
): readonly ContentMistake[] {
  return Array.from(faults, ({ path, found, expected, part }) =>
    mistakeAt(place(path, part), path, found, expected),
  )
}

/** A field path in readable form: `components[0].state`. */
export function formatFieldPath(path: FieldPath): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? step : `.${step}`
  }
  return text
}

/** A fault of a resource in one line. */
export function formatFault(name: string, { path, found, expected }: Fault): string {
  return `${name}: ${formatFieldPath(path)}: found ${found}, expected ${expected}`
}

/** A mistake in one line: `file:line:column: field: found …, expected … (rule …)`. */
export function formatMistake(mistake: ContentMistake): string {
  const { file, line, column, field, found, expected, rule } = mistake
  const at = field === '' ? '' : `${field}: `
  const by = rule === undefined ? '' : ` (rule ${rule})`
  return `${file}:${line}:${column}: ${at}found ${found}, expected ${expected}${by}`
}

/** Mistakes in reading order: by file, then by place. */
export function sortMistakes(mistakes: readonly ContentMistake[]): readonly ContentMistake[] {
  return mistakes.toSorted(
    (a, b) =>
      (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
  )
}

const LONGEST_QUOTE = 60

/** A value as a mistake shows it: its kind, and the start of a text. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (value === '') return 'an empty text'
  if (typeof value === 'string') {
    const shown = value.length > LONGEST_QUOTE ? `${value.slice(0, LONGEST_QUOTE)}…` : value
    return JSON.stringify(shown)
  }
  if (typeof value === 'number' || typeof value === 'bigint') return `the number ${value}`
  if (typeof value === 'boolean') return `the boolean ${value}`
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  return 'a group of fields'
}
