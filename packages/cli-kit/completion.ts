import {
  type Command,
  type CommandGroup,
  type CommandTable,
  createCommand,
  UsageError,
} from './command.ts'
import { parseChoice } from './option-values.ts'
import type { CommandOption } from './options.ts'
import { loadCommand } from './run-program.ts'

/** What can follow `svc`, a command, or a command and its action. */
interface Place {
  /** The words after `svc`; empty for the program itself. */
  readonly path: string
  readonly hasActions: boolean
  readonly words: readonly string[]
  /** Whether an argument is a file or a folder. */
  readonly takesFiles: boolean
  /** Options with a value, as words. */
  readonly values: readonly (readonly [option: string, candidates: string])[]
}

const FILES = 'compgen -f -- "$current"'
const FOLDERS = 'compgen -d -- "$current"'
const wordsFrom = (words: string) => `IFS=' ' && compgen -W ${words} -- "$current"`

/** The command of the shell that lists the values of an option; empty for a text. */
function candidatesOf({ value, choices }: CommandOption): string {
  if (choices !== undefined) return wordsFrom(quote(choices.join(' ')))
  return value === 'FILE' ? FILES : value === 'DIR' ? FOLDERS : ''
}

function placeOf(path: string, command: Command | CommandGroup): Place {
  if ('actions' in command) {
    const words = Object.keys(command.actions)
    return { path, hasActions: true, words, takesFiles: false, values: [] }
  }
  const { options, usage } = command
  return {
    path,
    hasActions: false,
    words: [...Object.keys(options).map((name) => `--${name}`), '--help'],
    // DIR or FILE, but not as the value of an option.
    takesFiles: [usage].flat().some((line) => /(?<!--\S+ )\b(?:DIR|FILE)\b/.test(line)),
    values: Object.entries(options)
      .filter(([, { type }]) => type === 'string')
      .map(([name, option]) => [`--${name}`, candidatesOf(option)] as const),
  }
}

/** Every place below some words, from the tables of the program. */
async function placesBelow(commands: CommandTable, before: string): Promise<readonly Place[]> {
  const rows = Object.entries(commands).map(async ([name, [, entry]]) => {
    const command = await loadCommand(entry)
    const path = `${before} ${name}`.trim()
    const below = 'actions' in command ? await placesBelow(command.actions, path) : []
    return [placeOf(path, command), ...below]
  })
  return (await Promise.all(rows)).flat()
}

/** A word for the shell, in single quotes. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The lines that add the second word to the place if the first one has actions. */
function actionLines(places: readonly Place[]): string {
  const names = places.filter(({ hasActions }) => hasActions).map(({ path }) => path)
  return names.length === 0
    ? ''
    : `
  case $place in
    ${names.join(' | ')}) if [ "$COMP_CWORD" -gt 2 ]; then place="$place \${COMP_WORDS[2]}"; fi ;;
  esac`
}

/** A script for bash, from the commands of the program. */
async function bashScript(table: CommandTable): Promise<string> {
  const words = [...Object.keys(table), '--help', '--version']
  const program = { path: '', hasActions: false, words, takesFiles: false, values: [] }
  const places: readonly Place[] = [program, ...(await placesBelow(table, ''))]
  const values = places.flatMap(({ path, values: rows }) =>
    rows.map(([option, candidates]) => {
      const action = candidates === '' ? '' : `COMPREPLY=($(${candidates})); `
      return `    ${quote(`${path} ${option}`)}) ${action}return ;;`
    }),
  )
  const cases = places.map(({ path, words: own, takesFiles }) => {
    const files = takesFiles ? '; files=yes' : ''
    return `    ${quote(path)}) words=${quote(own.join(' '))}${files} ;;`
  })
  return `# Completion of svc. Written by: svc completion
_svc() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local place='' words='' files=no IFS=$' \\t\\n'
  # Bash splits --option=VALUE into three words.
  if [ "$current" = = ]; then current=''
  elif [ "$previous" = = ]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  if [ "$COMP_CWORD" -gt 1 ]; then place=\${COMP_WORDS[1]}; fi${actionLines(places)}
  COMPREPLY=()
  # Names of files may contain spaces.
  compopt -o filenames 2>/dev/null
  IFS=$'\\n'
  case "$place $previous" in
${values.join('\n')}
  esac
  case $place in
${cases.join('\n')}
  esac
  if [ "$files" = yes ] && [ "\${current#-}" = "$current" ]; then
    COMPREPLY=($(${FILES}))
  else
    compopt +o filenames 2>/dev/null
    COMPREPLY=($(${wordsFrom('"$words"')}))
  fi
}
complete -F _svc svc
`
}

const SHELLS = {
  bash: bashScript,
  /** The same script by zsh's functions for those of bash. zsh loads it in the middle of its first use. */
  zsh: async (table: CommandTable) => `#compdef svc
autoload -U +X bashcompinit && bashcompinit
${await bashScript(table)}if [ "$funcstack[1]" = _svc ]; then _bash_complete -F _svc; fi
`,
} as const

/** The command that prints the completion script of a program, from the tables that `table` returns. */
export function createCompletionCommand(table: () => CommandTable): Command {
  return createCommand({
    usage: ['completion bash', 'completion zsh'],
    about: `Prints a script that completes the commands, options and file names of svc:
  svc completion bash | sudo tee /usr/share/bash-completion/completions/svc
  svc completion zsh | sudo tee /usr/local/share/zsh/site-functions/_svc
Print it again after an upgrade.`,
    options: {},
    json: 'print the script as a member of one JSON object',
    takesArguments: true,
    async run({ positionals: [shell, ...others] }) {
      if (shell === undefined || others.length > 0) throw new UsageError('expected bash or zsh')
      const script = await SHELLS[parseChoice('completion', shell, ['bash', 'zsh'])](table())
      return { json: { script }, lines: [script.trimEnd()] }
    },
  })
}
