/** An option of a command, and what its help says. */
export interface CommandOption {
  readonly type: 'string' | 'boolean'
  /** The name of its value in the help. */
  readonly value?: string
  readonly about: string
  /** A letter that stands for it after one dash. */
  readonly short?: string
  readonly multiple?: boolean
  readonly default?: string
  /** The only values, for the completion. */
  readonly choices?: readonly string[]
  /** Makes the value of a text, such as a number. Throws a UsageError that names the option. */
  readonly parse?: (option: string, text: string) => unknown
}

/** Options by name. */
export interface CommandOptions {
  readonly [name: string]: CommandOption
}

type ParsedText<Option extends CommandOption> = Option extends {
  readonly parse: (option: string, text: string) => infer Value
}
  ? Value
  : string

type ValueOf<Option extends CommandOption> = Option extends { readonly type: 'boolean' }
  ? boolean
  : Option extends { readonly multiple: true }
    ? readonly ParsedText<Option>[]
    : ParsedText<Option>

type Required<Option extends CommandOption> = Option extends
  | { readonly type: 'boolean' }
  | { readonly default: string }
  ? true
  : false

/** The values of options: flags are false by default, and texts are undefined without a default. */
export type OptionValues<Options extends CommandOptions> = {
  readonly [Name in keyof Options as Required<Options[Name]> extends true ? Name : never]: ValueOf<
    Options[Name]
  >
} & {
  readonly [Name in keyof Options as Required<Options[Name]> extends true ? never : Name]?: ValueOf<
    Options[Name]
  >
}

/** An option without a value. */
export function flag(about: string) {
  return { type: 'boolean', about } as const
}

/** `VALUE: what it is`, as the help of an option says it. */
function splitHelp(help: string) {
  const end = help.indexOf(': ')
  return { value: help.slice(0, end), about: help.slice(end + 2) }
}

/** An option with a value. `help` is `VALUE: what it is`. */
export function textOption(help: string) {
  return { type: 'string', ...splitHelp(help) } as const
}

/** An option with a value that has a default, which the help adds. */
export function textOptionOr(fallback: string, help: string) {
  return { type: 'string', default: fallback, ...splitHelp(help) } as const
}

/** An option with a value that may be given several times. */
export function textOptions(help: string) {
  return { type: 'string', multiple: true, ...splitHelp(help) } as const
}
