import { formatInstant, parseInstant } from '@public-api/contract/text/instant'
import { suggestName } from '@public-api/contract/text/nearest-name'
import { UsageError } from './command.ts'
import { textOption } from './options.ts'

/** The range of a numeric option. */
export interface NumberRange {
  /** Such as `seconds`. */
  readonly unit?: string
  readonly least: number
  readonly most: number
}

/** The whole number of an option, in decimal digits. Throws a UsageError that does not repeat the text. */
export function parseWholeNumber(
  option: string,
  text: string,
  { unit, least, most }: NumberRange,
): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(
    `${option} expects ${unit === undefined ? 'a whole number' : `whole ${unit}`} from ${least} to ${most}`,
  )
}

/** `a, b or c`. */
function formatChoices(choices: readonly string[]): string {
  return [choices.slice(0, -1).join(', '), ...choices.slice(-1)]
    .filter((part) => part !== '')
    .join(' or ')
}

/** The value of an option with fixed choices. Throws a UsageError that lists the choices without quoting the text. */
export function parseChoice<const Choice extends string>(
  option: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((each) => each === text)
  if (choice !== undefined) return choice
  throw new UsageError(`${option} expects ${formatChoices(choices)}${suggestName(text, choices)}`)
}

/** A time in UTC, as written or from another offset. Throws a UsageError for anything but ISO 8601. */
function parseTime(option: string, text: string): string {
  if (parseInstant(text) !== undefined) return text
  const [, local, sign, hours, minutes] = /^(.*)([+-])(\d\d):([0-5]\d)$/.exec(text) ?? []
  const localMs = local === undefined ? undefined : parseInstant(`${local}Z`)
  if (localMs !== undefined && Number(hours) < 24) {
    const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
    const time = formatInstant(sign === '+' ? localMs - offsetMs : localMs + offsetMs)
    return local?.includes('.') === true ? time : time.replace('.000Z', 'Z')
  }
  throw new UsageError(
    `${option} expects a time such as 2027-01-31T00:00:00Z or 2027-01-31T07:00:00+07:00`,
  )
}

/** An option with a whole number. Its unit is the name of the value: `DAYS`, or `N` for none. */
export function numberOption(help: string, [least, most]: readonly [least: number, most: number]) {
  const option = textOption(help)
  const unit = option.value === 'N' ? {} : { unit: option.value.toLowerCase() }
  const parse = (name: string, text: string): number =>
    parseWholeNumber(name, text, { ...unit, least, most })
  return { ...option, parse }
}

/** An option with one of these values. */
export function choiceOption<const Choice extends string>(
  help: string,
  choices: readonly Choice[],
) {
  const parse = (name: string, text: string): Choice => parseChoice(name, text, choices)
  return { ...textOption(help), choices, parse }
}

/** An option with a time. Its value is in UTC. */
export function timeOption(help: string) {
  return { ...textOption(help), parse: parseTime }
}

/** The only argument of a command, or the fallback for none. Throws a UsageError. */
export function onlyArgument(
  [given, ...others]: readonly string[],
  what: string,
  fallback?: string,
): string {
  const argument = given ?? fallback
  if (argument === undefined || others.length > 0) throw new UsageError(`expected one ${what}`)
  return argument
}

/** The text of a required option. Throws a UsageError if it is missing or blank. */
export function requireOption(name: string, value: string | undefined, expected = ''): string {
  const text = value?.trim() ?? ''
  if (text !== '') return text
  throw new UsageError(`expected --${name}${expected}`)
}

/** What follows the name of an option whose text is published. */
export const LINE_EXPECTED = ' TEXT: one line for readers of the history'
