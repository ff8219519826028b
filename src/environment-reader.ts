/** Environment variables of a process. */
export interface Environment {
  readonly [name: string]: string | undefined
}

/** How a mistake is reported. */
interface ReportOptions {
  /** Whether the value may contain a password and is left out of the message. */
  readonly isSecret: boolean
}

/** Reads and checks variables, and collects every mistake, so that the operator sees all of them together. */
export interface EnvironmentReader {
  readonly mistakes: readonly string[]
  /** The value without surrounding space; an empty one counts as not set. */
  text(name: string): string | undefined
  /** Variables with this prefix that were not read so far. */
  unreadVariables(prefix: string): readonly string[]
  reportInvalid(name: string, expected: string, options?: ReportOptions): undefined
  integer(name: string, minimum: number, maximum: number): number | undefined
  oneOf<const Value extends string>(name: string, values: readonly Value[]): Value | undefined
  url(name: string, protocols: readonly string[], options?: ReportOptions): URL | undefined
}

/** Creates a reader of these variables. */
export function createEnvironmentReader(env: Environment): EnvironmentReader {
  const mistakes: string[] = []
  const read = new Set<string>()

  function text(name: string): string | undefined {
    read.add(name)
    const value = env[name]?.trim()
    return value === '' ? undefined : value
  }

  function reportInvalid(name: string, expected: string, options?: ReportOptions): undefined {
    const found = options?.isSecret === true ? '' : `, found "${text(name)}"`
    mistakes.push(`${name}: expected ${expected}${found}`)
  }

  return {
    mistakes,
    text,
    reportInvalid,
    unreadVariables: (prefix) =>
      Object.keys(env).filter((name) => name.startsWith(prefix) && !read.has(name)),
    integer(name, minimum, maximum) {
      const value = text(name)
      if (value === undefined) return undefined
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
      if (number >= minimum && number <= maximum) return number
      return reportInvalid(name, `a whole number from ${minimum} to ${maximum}`)
    },
    oneOf(name, values) {
      const value = text(name)
      if (value === undefined) return undefined
      return (
        values.find((each) => each === value) ?? reportInvalid(name, `one of ${values.join(', ')}`)
      )
    },
    url(name, protocols, options) {
      const value = text(name)
      if (value === undefined) return undefined
      const url = URL.parse(value)
      if (url !== null && protocols.includes(url.protocol)) return url
      const starts = protocols.map((each) => `${each}//`).join(' or ')
      return reportInvalid(name, `a URL that starts with ${starts}`, options)
    },
  }
}
