import type { KeyTimingResult, PairResult } from './key-timing-result.ts'
import type { KeysResult, KeyStoreResult } from './keys-result.ts'
import type { KeyCounts } from './made-keys.ts'
import { range, verdict, whole, type Table } from './table.ts'

const micros = (value: number) => value.toFixed(1)
const fineMicros = (value: number) => value.toFixed(2)
const ratio = (value: number) => value.toFixed(2)
const signed = (value: number) => value.toFixed(2)

function nameOfKeys({ active, dead }: KeyCounts): string {
  if (active + dead === 0) return 'none'
  return `${whole(active)} active${dead === 0 ? '' : `, ${whole(dead)} revoked or expired`}`
}

type Keyed = KeyStoreResult & { readonly keyed: NonNullable<KeyStoreResult['keyed']> }

function hasKeyed(store: KeyStoreResult): store is Keyed {
  return store.keyed !== undefined
}

function costTable({ stores, anonymous, keyedTarget, ...result }: KeysResult): Table {
  return {
    title: `A read with a valid key beside one without (${result.connections} connections, ${result.rounds} rounds of ${whole(result.requestsPerRound)} requests)`,
    heading: [
      'keys that are kept',
      'CPU µs',
      'spread',
      'requests/s',
      'to no key',
      'spread',
      'at most',
      '',
    ],
    rows: [
      [
        'no key presented',
        micros(anonymous.cpuMicros.median),
        range(anonymous.cpuMicros, micros),
        whole(anonymous.requestsPerSecond.median),
        '',
        '',
        '',
        '',
      ],
      ...stores
        .filter(hasKeyed)
        .map(({ keyed, ...counts }) => [
          nameOfKeys(counts),
          micros(keyed.cpuMicros.median),
          range(keyed.cpuMicros, micros),
          whole(keyed.requestsPerSecond.median),
          ratio(keyed.toAnonymous.ratio.median),
          range(keyed.toAnonymous.ratio, ratio),
          ratio(keyedTarget),
          verdict(keyed.toAnonymous.isMet),
        ]),
    ],
  }
}

function growthTable({ stores, growthTarget }: KeysResult): Table {
  const row = (
    what: string,
    counts: KeyCounts,
    { cpuMicros, toFewest }: KeyStoreResult['refused'],
  ): readonly string[] => [
    what,
    nameOfKeys(counts),
    micros(cpuMicros.median),
    ratio(toFewest.ratio.median),
    range(toFewest.ratio, ratio),
    ratio(growthTarget),
    verdict(toFewest.isMet),
  ]
  return {
    title: 'What more keys cost',
    heading: ['a request', 'keys that are kept', 'CPU µs', 'to fewest', 'spread', 'at most', ''],
    rows: [
      ...stores.filter(hasKeyed).map(({ keyed, ...counts }) => row('valid key', counts, keyed)),
      ...stores.map(({ refused, ...counts }) => row('unknown key, refused', counts, refused)),
    ],
  }
}

function lookupTable({ stores }: KeysResult): Table {
  return {
    title: 'The look-up by itself, CPU time, ids from all over the store',
    heading: ['keys that are kept', 'found µs', 'spread', 'not found µs', 'spread'],
    rows: stores.map(({ hitMicros, missMicros, ...counts }) => [
      nameOfKeys(counts),
      hitMicros === undefined ? '' : fineMicros(hitMicros.median),
      hitMicros === undefined ? '' : range(hitMicros, fineMicros),
      fineMicros(missMicros.median),
      range(missMicros, fineMicros),
    ]),
  }
}

function timingTables({ classes, pairs, target, ...timing }: KeyTimingResult): readonly Table[] {
  const kept = `fastest ${whole(timing.keptShare * 100)} %`
  return [
    {
      title: `How long a refusal takes, by its reason (one connection, ${whole(timing.requestsPerClass)} requests of each kind in random order; kept: ${nameOfKeys(timing)})`,
      heading: ['the key', 'median µs', 'mean µs', `mean of the ${kept} µs`],
      rows: classes.map(({ title, medianNanos, meanNanos, croppedMeanNanos }) => [
        title,
        fineMicros(medianNanos / 1000),
        fineMicros(meanNanos / 1000),
        fineMicros(croppedMeanNanos / 1000),
      ]),
    },
    {
      title: "Whether the reasons can be told apart by it: Welch's t",
      heading: ['of', 'difference ns', 't of all', `t of the ${kept}`, 'each less than', ''],
      rows: pairs.map(({ one, other, differenceNanos, t, croppedT, isMet }) => [
        `${one} and ${other}`,
        whole(differenceNanos),
        signed(t),
        signed(croppedT),
        `±${target}`,
        verdict(isMet),
      ]),
    },
  ]
}

/** The tables of the keys part. */
export function keyTables(result: KeysResult): readonly Table[] {
  return [
    costTable(result),
    growthTable(result),
    lookupTable(result),
    ...timingTables(result.timing),
  ]
}

function missedPair({ one, other, t, croppedT }: PairResult, target: number): string {
  return `telling ${one} from ${other} keys by time: found t of ${signed(t)} and ${signed(croppedT)}, expected within ±${target}`
}

/** One line for each target of the keys part that was missed. */
export function missedInKeys(result: KeysResult): readonly string[] {
  const { stores, keyedTarget, growthTarget, timing } = result
  return [
    ...stores
      .filter(hasKeyed)
      .filter(({ keyed }) => !keyed.toAnonymous.isMet)
      .map(
        ({ keyed, ...counts }) =>
          `a read with a key to one without (${nameOfKeys(counts)}): found ${ratio(keyed.toAnonymous.ratio.median)}, expected at most ${ratio(keyedTarget)}`,
      ),
    ...stores
      .flatMap(({ keyed, refused, ...counts }) => [
        { what: 'a valid key', counts, toFewest: keyed?.toFewest },
        { what: 'an unknown key', counts, toFewest: refused.toFewest },
      ])
      .flatMap(({ what, counts, toFewest }) =>
        toFewest === undefined || toFewest.isMet
          ? []
          : [
              `${what} (${nameOfKeys(counts)}) to the same among fewest: found ${ratio(toFewest.ratio.median)}, expected at most ${ratio(growthTarget)}`,
            ],
      ),
    ...timing.pairs.filter(({ isMet }) => !isMet).map((pair) => missedPair(pair, timing.target)),
  ]
}
