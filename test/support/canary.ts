import { randomBytes, randomInt } from 'node:crypto'
import { bytesOfAddress, needlesOfAddress, needlesOfText, type Needle } from './leak-search.ts'

/** Creates unique personal data of a visitor, and remembers it. */
export interface Canaries {
  /** A text of this kind with a random part. */
  text(what: string, prefix?: string): string
  /** Something that was not made here and must not be found either. */
  note(what: string, text: string): string
  email(): string
  ipv4(): string
  /** Written out in eight groups. */
  ipv6(): string
  /** Everything so far, in all its spellings; `kinds` leaves out the other kinds. */
  needles(isMeant?: (what: string) => boolean): readonly Needle[]
  /** The four bytes of each IPv4 address. They are short enough to be found in random bytes now and then. */
  rawIpv4(): readonly Buffer[]
}

const hex = (bytes: number): string => randomBytes(bytes).toString('hex')

/** Begins to collect. */
export function createCanaries(): Canaries {
  const canaries: { readonly what: string; readonly needles: readonly Needle[] }[] = []
  const raw: Buffer[] = []

  function note(what: string, text: string): string {
    canaries.push({ what, needles: needlesOfText(what, text) })
    return text
  }

  function noteAddress(what: string, address: string): string {
    canaries.push({ what, needles: needlesOfAddress(address) })
    return address
  }

  return {
    text: (what, prefix = '') => note(what, prefix + hex(8)),
    note,
    email() {
      // Each part alone identifies the person.
      return `${note('local part', `Q${hex(6)}`)}@${note('domain', `w${hex(6)}`)}.example`
    },
    ipv4() {
      const address = ['198', 18 + randomInt(2), 100 + randomInt(156), 100 + randomInt(156)].join(
        '.',
      )
      raw.push(bytesOfAddress(address))
      return noteAddress('IPv4 address', address)
    },
    ipv6() {
      const groups = Array.from({ length: 6 }, () => (4096 + randomInt(61_440)).toString(16))
      return noteAddress('IPv6 address', ['2001', 'db8', ...groups].join(':'))
    },
    needles: (isMeant = () => true) =>
      canaries.filter(({ what }) => isMeant(what)).flatMap(({ needles }) => needles),
    rawIpv4: () => raw,
  }
}
