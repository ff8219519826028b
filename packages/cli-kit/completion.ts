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

/** A word that can be completed, and what it is for. */
type Word = readonly [word: string, about: string]

const HELP_WORD = ['--help', 'print the help'] as const

/** What can follow `svc`, a command, or a command and its action. */
interface Place {
  /** The words after `svc`; empty for the program itself. */
  readonly path: string
  readonly hasActions: boolean
  readonly words: readonly Word[]
  /** Whether an argument is a file or a folder. */
  readonly takesFiles: boolean
  /** Options with a value, as words. */
  readonly values: readonly (readonly [
    option: string,
    what: readonly string[] | 'file' | 'folder' | 'text',
  ])[]
}

const FILE_NAMES = { FILE: 'file', DIR: 'folder' } as const

function valueOf({ value = '', choices }: CommandOption) {
  if (choices !== undefined) return choices
  return value === 'FILE' || value === 'DIR' ? FILE_NAMES[value] : 'text'
}

function placeOf(path: string, command: Command | CommandGroup): Place {
  if ('actions' in command) {
    const words = Object.entries(command.actions).map(
      ([name, [summary]]) => [name, summary] as const,
    )
    return { path, hasActions: true, words, takesFiles: false, values: [] }
  }
  const { options, usage } = command
  const rows = Object.entries(options)
  return {
    path,
    hasActions: false,
    words: [...rows.map(([name, { about }]) => [`--${name}`, about] as const), HELP_WORD],
    // DIR or FILE, but not as the value of an option.
    takesFiles: [usage].flat().some((line) => /(?<!--\S+ )\b(?:DIR|FILE)\b/.test(line)),
    values: rows
      .filter(([, { type }]) => type === 'string')
      .map(([name, option]) => [`--${name}`, valueOf(option)] as const),
  }
}

/** Every place of a program, from its own tables. */
async function readPlaces(table: CommandTable): Promise<readonly Place[]> {
  async function placesBelow(commands: CommandTable, before: string): Promise<readonly Place[]> {
    const rows = Object.entries(commands).map(async ([name, [, entry]]) => {
      const command = await loadCommand(entry)
      const path = `${before} ${name}`.trim()
      const below = 'actions' in command ? await placesBelow(command.actions, path) : []
      return [placeOf(path, command), ...below]
    })
    return (await Promise.all(rows)).flat()
  }
  const summaries = Object.entries(table).map(([name, [summary]]) => [name, summary] as const)
  const program = {
    path: '',
    hasActions: false,
    words: [...summaries, ['--help', 'print the commands'], ['--version', 'print the version']],
    takesFiles: false,
    values: [],
  } as const
  return [program, ...(await placesBelow(table, ''))]
}

/** A word for the shell, in single quotes. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The lines that add the second word to the place if the first one has actions. */
function actionLines(places: readonly Place[], addSecond: string): string {
  const names = places.filter(({ hasActions }) => hasActions).map(({ path }) => path)
  return names.length === 0
    ? ''
    : `\n  case $place in\n    ${names.join(' | ')}) ${addSecond} ;;\n  esac`
}

/** The cases that set what can follow at each place. `list` writes the assignment of its words. */
function wordCases(places: readonly Place[], list: (rows: readonly Word[]) => string): string {
  return places
    .map(({ path, words, takesFiles }) => {
      return `    ${quote(path)}) ${list(words)}${takesFiles ? '; files=yes' : ''} ;;`
    })
    .join('\n')
}

function bashScript(places: readonly Place[]): string {
  const actions = {
    file: 'COMPREPLY=($(compgen -f -- "$current"))',
    folder: 'COMPREPLY=($(compgen -d -- "$current"))',
    text: '',
  }
  const values = places.flatMap(({ path, values: rows }) =>
    rows.map(([option, what]) => {
      const action =
        typeof what === 'string'
          ? actions[what]
          : `COMPREPLY=($(IFS=' ' && compgen -W ${quote(what.join(' '))} -- "$current"))`
      return `    ${quote(`${path} ${option}`)}) ${action === '' ? '' : `${action}; `}return ;;`
    }),
  )
  const words = wordCases(places, (rows) => `words=${quote(rows.map(([word]) => word).join(' '))}`)
  return `# Completion of svc for bash. Written by: svc completion bash
_svc() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local place='' words='' files=no IFS=$' \\t\\n'
  # Bash splits --option=VALUE into three words.
  if [ "$current" = = ]; then current=''
  elif [ "$previous" = = ]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  if [ "$COMP_CWORD" -gt 1 ]; then place=\${COMP_WORDS[1]}; fi${actionLines(places, 'if [ "$COMP_CWORD" -gt 2 ]; then place="$place ${COMP_WORDS[2]}"; fi')}
  COMPREPLY=()
  # Names of files may contain spaces.
  compopt -o filenames 2>/dev/null
  IFS=$'\\n'
  case "$place $previous" in
${values.join('\n')}
  esac
  case $place in
${words}
  esac
  if [ "$files" = yes ] && [ "\${current#-}" = "$current" ]; then
    COMPREPLY=($(compgen -f -- "$current"))
  else
    compopt +o filenames 2>/dev/null
    COMPREPLY=($(IFS=' ' && compgen -W "$words" -- "$current"))
  fi
}
complete -F _svc svc
`
}

function zshScript(places: readonly Place[]): string {
  const actions = { file: '_files', folder: '_files -/', text: '_message value' }
  const describe = ([word, about]: Word): string =>
    quote(`${word.replaceAll(':', String.raw`\:`)}:${about.replaceAll(/\s+/g, ' ')}`)
  const values = places.flatMap(({ path, values: rows }) =>
    rows.map(([option, what]) => {
      const action = typeof what === 'string' ? actions[what] : `compadd -- ${what.join(' ')}`
      return `    ${quote(`${path} ${option}`)}) ${action}; return ;;`
    }),
  )
  const words = wordCases(places, (rows) => `choices=(${rows.map(describe).join(' ')})`)
  return `#compdef svc
# Completion of svc for zsh. Written by: svc completion zsh
_svc() {
  local place='' files=no previous=$words[CURRENT-1]
  local -a choices
  if [[ $words[CURRENT] == --*=* ]]; then
    previous=\${words[CURRENT]%%=*}
    compset -P '*='
  fi
  (( CURRENT > 2 )) && place=$words[2]${actionLines(places, '(( CURRENT > 3 )) && place="$place $words[3]"')}
  case "$place $previous" in
${values.join('\n')}
  esac
  case $place in
${words}
  esac
  if [[ $files == yes && $words[CURRENT] != -* ]]; then _files; else _describe svc choices; fi
}
if [ "$funcstack[1]" = _svc ]; then _svc "$@"; else compdef _svc svc; fi
`
}

const SHELLS = { bash: bashScript, zsh: zshScript } as const

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
      const script = SHELLS[parseChoice('completion', shell, ['bash', 'zsh'])](
        await readPlaces(table()),
      )
      return { json: { script }, lines: [script.trimEnd()] }
    },
  })
}
