import { range, verdict, whole, type Table } from './table.ts'
import {
  VERIFICATION_WAYS,
  type AnswerChecks,
  type VerificationResult,
} from './verification-result.ts'

const micros = (value: number) => value.toFixed(0)
const ratio = (value: number) => value.toFixed(2)
const seconds = (value: number) => value.toFixed(2)

function checksTable(
  { target, bodyBytes, ways, isMet }: AnswerChecks,
  { rounds, checksPerRound, ratioTarget }: VerificationResult,
): Table {
  return {
    title: `Checking an answer to GET ${target} (${whole(bodyBytes)} bytes of body, ${rounds} rounds of ${whole(checksPerRound)} checks)`,
    heading: ['what checks', 'CPU µs', 'spread', 'waited µs', 'to bare', 'spread', 'less than', ''],
    rows: ways.map(({ way, cpuMicros, waitMicros, toBare }) => {
      const isJudged = way === 'client' && isMet !== undefined
      return [
        VERIFICATION_WAYS[way],
        micros(cpuMicros.median),
        range(cpuMicros, micros),
        micros(waitMicros.median),
        way === 'nodeCrypto' ? '' : ratio(toBare.median),
        way === 'nodeCrypto' ? '' : range(toBare, ratio),
        isJudged ? ratio(ratioTarget) : '',
        isJudged ? verdict(isMet) : '',
      ]
    }),
  }
}

/** The tables of the verification part. */
export function verificationTables(result: VerificationResult): readonly Table[] {
  const { audit } = result
  return [
    ...result.answers.map((answer) => checksTable(answer, result)),
    {
      title: 'Auditing a history from a server on the same machine',
      heading: ['versions', 'runs', 'seconds', 'spread', 'CPU seconds', 'less than', ''],
      rows: [
        [
          whole(audit.versions),
          String(audit.runs),
          seconds(audit.seconds.median),
          range(audit.seconds, seconds),
          seconds(audit.cpuSeconds.median),
          audit.isMet === undefined ? '' : seconds(audit.targetSeconds),
          audit.isMet === undefined ? '' : verdict(audit.isMet),
        ],
      ],
    },
  ]
}

/** One line for each target of the verification part that was missed. */
export function missedInVerification({
  answers,
  ratioTarget,
  audit,
}: VerificationResult): readonly string[] {
  return [
    ...answers
      .filter(({ isMet }) => isMet === false)
      .map(({ target, ways }) => {
        const found = ways.find(({ way }) => way === 'client')?.toBare.median ?? Number.NaN
        return `checking an answer to ${target}, to node:crypto alone: found ${ratio(found)}, expected less than ${ratio(ratioTarget)}`
      }),
    ...(audit.isMet === false
      ? [
          `an audit of ${whole(audit.versions)} versions: found ${seconds(audit.seconds.median)} s, expected less than ${seconds(audit.targetSeconds)} s`,
        ]
      : []),
  ]
}
