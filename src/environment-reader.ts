import { suggestName } from '@public-api/contract/text/nearest-name'
import type { ConfigMistake } from './config-mistake.ts'

export interface Environment {
  readonly [name: string]: string | undefined
}

/** Whether a value still has the quotation marks of its file: systemd and Node remove them, podman, docker and kubectl do not. */
export const isQuoted = (value: string): boolean => /^["'`]|["'`]$/.test(value.trim())

/** A variable that has no effect. */
export interface UnknownVariable {
  readonly name: string
  /** `; did you mean NAME?`, or empty. */
  readonly suggestion: string
}

/** Of a value that `isQuoted` refuses. */
export const NO_QUOTES = 'a value that neither begins nor ends with a quotation mark'

/** Reads and checks variables, and collects every mistake, so that the operator sees all of them together. */
export type EnvironmentReader = ReturnType<typeof createEnvironmentReader>

/** Creates a reader of these variables. */
export function createEnvironmentReader(env: Environment) {
  const mistakes: ConfigMistake[] = []
  const read = new Set<string>()

  /** The value without surrounding space; an empty one counts as not set, as does one in quotation marks, which is reported. */
  function text(name: string): string | undefined {
    const value = env[name]?.trim() ?? ''
    if (isQuoted(value)) {
      if (!read.has(name)) mistakes.push({ variable: name, expected: NO_QUOTES })
      read.add(name)
      return undefined
    }
    read.add(name)
    return value === '' ? undefined : value
  }

  /** A value with an @ may contain a password and is left out of the message, as is one that is secret. */
  function reportInvalid(name: string, expected: string, isSecret = false): undefined {
    const value = text(name)
    const isShown = value !== undefined && !isSecret && !value.includes('@')
    mistakes.push({ variable: name, expected, ...(isShown ? { found: `"${value}"` } : {}) })
  }

  /** The parsed value; undefined if it is not set. `parse` throws or returns undefined for an invalid one. */
  function parsed<Value>(
    name: string,
    expected: string,
    parse: (value: string) => Value | undefined,
    isSecret = false,
  ): Value | undefined {
    const value = text(name)
    if (value === undefined) return undefined
    try {
      const result = parse(value)
      if (result !== undefined) return result
    } catch {
      // Reported below, in the words of the configuration.
    }
    return reportInvalid(name, expected, isSecret)
  }

  return {
    mistakes: mistakes as readonly ConfigMistake[],
    text,
    reportInvalid,
    parsed,
    /** Reports each former variable that is set, with what is expected now. The value is not shown: it may be a secret. */
    refuseFormer(expectations: { readonly [former: string]: string }): void {
      for (const [former, expected] of Object.entries(expectations)) {
        if (text(former) !== undefined) reportInvalid(former, expected, true)
      }
    },
    /** Reports names with this prefix behind `export`, which podman and docker take from a file as part of the name. */
    refuseExported(prefix: string): void {
      for (const name of Object.keys(env)) {
        const [, current] = /^export\s+(\w+)$/.exec(name) ?? []
        if (current?.startsWith(prefix) !== true) continue
        mistakes.push({ variable: name, expected: `the name alone, ${current}` })
      }
    },
    /** Variables with this prefix that were not read so far, with a suggestion for a mistyped one. */
    unreadVariables: (prefix: string): readonly UnknownVariable[] =>
      Object.keys(env)
        .filter((name) => name.startsWith(prefix) && !read.has(name))
        .map((name) => ({ name, suggestion: suggestName(name, [...read]) })),
    integer: (name: string, minimum: number, maximum: number) =>
      parsed(name, `a whole number from ${minimum} to ${maximum}`, (value) => {
        const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
        return number >= minimum && number <= maximum ? number : undefined
      }),
    oneOf: <const Value extends string>(name: string, values: readonly Value[]) =>
      parsed(name, `one of ${values.join(', ')}`, (value) => values.find((each) => each === value)),
    url(name: string, protocols: readonly string[], isSecret = false) {
      const starts = protocols.map((each) => `${each}//`).join(' or ')
      const parse = (value: string) => {
        const url = URL.parse(value)
        return url !== null && protocols.includes(url.protocol) ? url : undefined
      }
      return parsed(name, `a URL that starts with ${starts}`, parse, isSecret)
    },
  }
}
