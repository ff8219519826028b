/** A mistake in the configuration. */
export interface ConfigMistake {
  /** The variable, or the file of a secret. */
  readonly variable: string
  readonly expected: string
  /** Left out if the value may be a secret. */
  readonly found?: string | undefined
}

/** A mistake in one line. */
export function formatConfigMistake({ variable, expected, found }: ConfigMistake): string {
  return `${variable}: expected ${expected}${found === undefined ? '' : `, found ${found}`}`
}

/** The configuration is invalid. */
export class ConfigError extends Error {
  readonly mistakes: readonly ConfigMistake[]

  constructor(mistakes: readonly ConfigMistake[]) {
    super(
      `Invalid configuration (${mistakes.length === 1 ? '1 error' : `${mistakes.length} errors`})`,
    )
    this.name = 'ConfigError'
    this.mistakes = mistakes
  }

  /** Every mistake in one line. */
  get lines(): readonly string[] {
    return this.mistakes.map(formatConfigMistake)
  }
}
