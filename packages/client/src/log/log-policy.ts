// Trust policies: c2sp.org/tlog-policy.

import { LogError } from './log-error.ts'
import {
  checkNoteText,
  COSIGNATURE,
  ED25519,
  importVkey,
  ML_DSA_44,
  type NoteKey,
} from './signed-note.ts'

/** A key of ML-DSA-44 has 1,800 bytes as a line. */
export const MAX_POLICY_BYTES = 131_072
const MAX_LINES_OF_A_KIND = 64
const COMMENTS = /^[ \t]*#.*/gm
const CONTROL_CHARACTERS = /\p{Cc}/gu

/** A log of a policy. Its key's name is its origin. */
export interface PolicyLog {
  /** Its public key. */
  readonly key: NoteKey
  /** Undefined if the line has none. */
  readonly url: string | undefined
}

/** A witness of a policy. */
export interface PolicyWitness extends PolicyLog {
  /** Its name in the policy. */
  readonly name: string
}

/** Whom a client trusts: logs, witnesses, and how many of these must agree. */
export interface LogPolicy {
  /** Any of them may sign. */
  readonly logs: readonly PolicyLog[]
  /** Those that the quorum may count. */
  readonly witnesses: readonly PolicyWitness[]
  /** Name of a witness or group, or `none`. */
  readonly quorum: string
  /** Whether the witnesses with these names are enough. */
  isMetBy(names: ReadonlySet<string>): boolean
}

/** The policy without its quorum, for copies and earlier checkpoints, which may be old: only the log's signature counts. */
export const signedOnly = (policy: LogPolicy): LogPolicy => ({ ...policy, quorum: 'none' })

/** What a name of the policy requires. */
type Rule = (names: ReadonlySet<string>) => boolean

/** The public key in a verifier key. Two lines may not have the same. */
function publicKeyOf({ vkey }: NoteKey): string {
  // The name has no plus sign, and base64 may have some.
  const [, , ...base64] = vkey.split('+')
  return atob(base64.join('+')).slice(1)
}

/**
 * Reads a policy: `log`, `witness`, `group` and `quorum` lines (c2sp.org/tlog-policy). Throws a LogError (MALFORMED)
 * with line and column, and without a word of the text: a file that was taken for a policy may contain a secret.
 *
 * @example
 * ```ts
 * const policy = await openPolicy(await readFile('policy', 'utf8'))
 * ```
 */
export async function openPolicy(text: string): Promise<LogPolicy> {
  // A comment may have any characters.
  const checked = text.replace(COMMENTS, (comment) => comment.replace(CONTROL_CHARACTERS, ' '))
  checkNoteText('the policy', checked, MAX_POLICY_BYTES, '\n\t')
  const logs: PolicyLog[] = []
  const witnesses: PolicyWitness[] = []
  const rules = new Map<string, Rule>()
  const members = new Set<string>()
  let quorum: string | undefined
  let groups = 0

  for (const [index, line] of text.split('\n').entries()) {
    const words = Array.from(line.matchAll(/[^ \t]+/g))
    /** The place of a word, from 0 for the kind of the line; of the line without one. */
    const placeOf = (word?: number): string => {
      const column = word === undefined ? '' : `, column ${(words[word]?.index ?? 0) + 1}`
      return `the policy, line ${index + 1}${column}`
    }
    const refuse = (fault: string, word?: number): never => {
      throw new LogError('MALFORMED', `${placeOf(word)}: ${fault}`)
    }
    const [kind, ...items] = words.map(([word]) => word)
    if (kind === undefined || kind.startsWith('#')) continue
    const define = (name: string, rule: Rule): void => {
      if (name === 'none') refuse('the name none is reserved', 1)
      if (rules.has(name)) refuse('the name is already defined', 1)
      rules.set(name, rule)
    }
    const keyOf = async (
      vkey: string,
      word: number,
      types: readonly number[],
      known: readonly PolicyLog[],
    ): Promise<NoteKey> => {
      const key = await importVkey(vkey, types, placeOf(word))
      const publicKey = publicKeyOf(key)
      if (known.some((other) => publicKeyOf(other.key) === publicKey)) {
        refuse('the key is already on another line', word)
      }
      if (known.length === MAX_LINES_OF_A_KIND) {
        refuse(`more than ${MAX_LINES_OF_A_KIND} lines of ${kind}`)
      }
      return key
    }
    switch (kind) {
      case 'log': {
        const [vkey, url, ...rest] = items
        if (vkey === undefined || rest.length > 0) return refuse('expected: log <vkey> [<url>]')
        logs.push({ key: await keyOf(vkey, 1, [ED25519, ML_DSA_44], logs), url })
        break
      }
      case 'witness': {
        const [name, vkey, url, ...rest] = items
        if (name === undefined || vkey === undefined || rest.length > 0) {
          return refuse('expected: witness <name> <vkey> [<url>]')
        }
        const key = await keyOf(vkey, 2, [COSIGNATURE, ML_DSA_44], witnesses)
        define(name, (names) => names.has(name))
        witnesses.push({ name, key, url })
        break
      }
      case 'group': {
        const [name, threshold, ...listed] = items
        if (name === undefined || threshold === undefined || listed.length === 0) {
          return refuse('expected: group <name> <number, any or all> <member>...')
        }
        groups += 1
        if (groups > MAX_LINES_OF_A_KIND) refuse(`more than ${MAX_LINES_OF_A_KIND} lines of group`)
        const required = { any: 1, all: listed.length }[threshold] ?? Number(threshold)
        const isNumber = /^(?:any|all|[1-9]\d{0,3})$/.test(threshold)
        if (!isNumber || required > listed.length) {
          refuse(`expected a number from 1 to ${listed.length}, any or all`, 2)
        }
        const parts = listed.map((member, at) => {
          if (members.has(member)) refuse('the name is already a member of a group', at + 3)
          members.add(member)
          return rules.get(member) ?? refuse('the name is not defined on a line above', at + 3)
        })
        define(name, (names) => parts.filter((part) => part(names)).length >= required)
        break
      }
      case 'quorum': {
        const [name, ...rest] = items
        if (name === undefined || rest.length > 0) return refuse('expected: quorum <name or none>')
        if (quorum !== undefined) refuse('the quorum is already defined')
        if (name !== 'none' && !rules.has(name))
          refuse('the name is not defined on a line above', 1)
        quorum = name
        break
      }
      default:
        refuse('expected log, witness, group or quorum', 0)
    }
  }
  if (quorum === undefined) throw new LogError('MALFORMED', 'the policy has no quorum line')
  const rule = rules.get(quorum)
  return { logs, witnesses, quorum, isMetBy: (names) => rule === undefined || rule(names) }
}
