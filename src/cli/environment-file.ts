/** A line of an environment file that its readers take differently. */
export class EnvironmentFileMistake extends Error {
  override readonly name = 'EnvironmentFileMistake'
}

/** The form that systemd, svc, Node, podman, docker, compose, kubectl and a shell read alike. */
const EXPECTED =
  'expected NAME=value without quotation marks, export, a comment behind it or a backslash'

/**
 * A setting at the place of `lastIndex`, as systemd reads it (systemd.exec(5), measured with 252). The name may have spaces
 * around it. The value is plain, with no quotation mark or back quote at its ends and no number sign after a space, or it is
 * all in quotes, perhaps over several lines, without a backslash or another quotation mark of its kind.
 */
const SETTING =
  /[ \t]*([A-Za-z_]\w*)[ \t]*=[ \t]*(?:"([^"\\]*)"|'([^'\\]*)'|((?![ \t#"'`])(?:(?![ \t]#)[^\\\r\n])*?(?<!["'`][ \t]*)|))[ \t]*(?:\r?\n|$)/y

/** A line without a setting. systemd continues a comment after a backslash at its end. */
const OTHER_LINE = /[ \t]*(?:[#;](?:[^\r\n]*[^\\\r\n])?)?(?:\r?\n|$)/y

/**
 * The variables of an environment file as systemd reads it (`EnvironmentFile=`). Throws an EnvironmentFileMistake for the
 * first line that systemd ignores, or that other readers of such files take differently. The message repeats no value: it may
 * be a secret.
 */
export function parseEnvironmentFile(text: string): { readonly [name: string]: string } {
  const variables: { [name: string]: string } = {}
  let index = 0
  while (index < text.length) {
    OTHER_LINE.lastIndex = index
    SETTING.lastIndex = index
    const setting = SETTING.exec(text)
    const next = setting === null ? OTHER_LINE.exec(text) : setting
    // eslint-disable-next-line no-control-regex -- what systemd refuses or drops
    if (next === null || /[\0\uFEFF\uFFFD]/.test(next[0])) {
      const number = text.slice(0, index).split('\n').length
      const [, name] = /^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=/.exec(text.slice(index)) ?? []
      const named = name === undefined ? '' : ` (${name})`
      throw new EnvironmentFileMistake(`line ${number}${named}: ${EXPECTED}`)
    }
    const [, name, double, single, plain] = setting ?? []
    if (name !== undefined) variables[name] = double ?? single ?? plain ?? ''
    index += next[0].length
  }
  return variables
}
