import assert from 'node:assert/strict'
import { svc } from './run-svc.ts'

/** A command whose work is done by actions. */
export interface TestedActions {
  /** The command after `svc`. */
  readonly command: string
  readonly actions: readonly string[]
}

/** Asserts that the command and each action print help on standard output, within the width of a terminal. */
export async function assertHelps({ command, actions }: TestedActions): Promise<void> {
  for (const args of [['--help'], ['-h'], ...actions.map((each) => [each, '--help'])]) {
    const { status, out, error } = await svc(command, ...args)
    assert.equal(status, 0, args.join(' '))
    assert.equal(error, '')
    assert.ok(out.startsWith(`Usage: svc ${command} `), args.join(' '))
    assert.ok(
      out.split('\n').every((line) => line.length <= 80),
      args.join(' '),
    )
  }
  const { out } = await svc(command, '--help')
  for (const action of actions) assert.match(out, new RegExp(`^ {2}${action} `, 'm'))
}

/**
 * Asserts that each of some arguments is wrong usage, reported in one line with the expected value and the help to
 * read.
 */
export async function assertMisuses(
  { command, actions }: TestedActions,
  cases: readonly (readonly [args: readonly string[], message: RegExp])[],
): Promise<void> {
  for (const [args, message] of cases) {
    const { status, out, error } = await svc(command, ...args)
    assert.equal(status, 2, `${args.join(' ')}: ${error}`)
    assert.equal(out, '')
    assert.match(error, message)
    const named = actions.includes(args[0] ?? '') ? `${command} ${args[0]}` : command
    assert.ok(error.endsWith(` Run 'svc ${named} --help' for usage.\n`), error)
    assert.equal(error.trimEnd().split('\n').length, 1, error)
  }
}
