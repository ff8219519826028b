import { wrapText } from './wrap-text.ts'

/** An option of a command: what `parseArgs` needs, and what its help says. */
export interface CommandOption {
  readonly type: 'string' | 'boolean'
  /** The name of its value in the help. */
  readonly value?: string
  readonly about: string
  readonly multiple?: boolean
  readonly default?: string | boolean
  /** The only values, for the completion. */
  readonly choices?: readonly string[]
}

/** An option without a value. */
export function flag(about: string) {
  return { type: 'boolean', default: false, about } as const
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

const WIDTH = 80

/** What the help of a command says. */
export interface CommandHelp {
  /** One line for each way to call it, after `svc`. */
  readonly usage: string | readonly string[]
  /** What it does, in lines of at most 80 characters. */
  readonly about: string
  /** What `--json` does, if the result is more than one object. */
  readonly json?: string
  /** Exit codes; default: `0 done, 1 failure, 2 wrong usage`. */
  readonly exit?: string
}

/** The whole help of a command. */
export function formatHelp(
  { usage, about, json = 'print the result as one JSON object', exit }: CommandHelp,
  options: { readonly [name: string]: CommandOption },
): string {
  const rows = Object.entries(options).map(([name, { value, about: what, default: fallback }]) => [
    `--${name}${value === undefined ? '' : ` ${value}`}`,
    typeof fallback === 'string' ? `${what} (default: ${fallback})` : what,
  ])
  const all = [...rows, ['--json', json], ['-h, --help', 'print this text']]
  const column = Math.max(...all.map(([name = '']) => name.length)) + 4
  const optionLines = all.flatMap(([name = '', what = '']) =>
    wrapText(what, WIDTH - column).map(
      (line, index) => `  ${(index === 0 ? name : '').padEnd(column - 2)}${line}`,
    ),
  )
  const codes = `Exit code: ${exit ?? '0 done, 1 failure, 2 wrong usage'}.`
  return [
    `Usage: svc ${[usage].flat().join('\n       svc ')}`,
    about,
    ['Options:', ...optionLines].join('\n'),
    wrapText(codes, WIDTH).join('\n'),
  ].join('\n\n')
}
