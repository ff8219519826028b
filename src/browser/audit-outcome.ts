import { ApiResponseError } from '../../packages/client/src/api-response-error.ts'
import { UnlinkedKeysError, type HistoryError } from '../../packages/client/src/history-error.ts'
import { ConnectionError } from '../../packages/client/src/connection.ts'
import { VerificationError } from '../../packages/client/src/verification-error.ts'
import { formatInstant } from '../contract/instant.ts'
import { ChainError } from '../contract/version-chain.ts'
import { pageElement, textElement } from './page-element.ts'
import type { PageTexts } from './page-texts.ts'

function boxOf(
  tag: 'div' | 'p',
  className: string,
  ...children: readonly (Node | string)[]
): HTMLElement {
  return pageElement(tag, { className, children })
}

/** Whether the browser lacks the cryptography: WebCrypto needs https, and older versions have no Ed25519. */
function isUnsupported(error: unknown): boolean {
  return !isSecureContext || (error instanceof DOMException && error.name === 'NotSupportedError')
}

/** The text of a failure that is unrelated to the history. */
function failureText(texts: PageTexts, error: unknown): string {
  if (isUnsupported(error)) return texts.text('failures.unsupported')
  if (error instanceof VerificationError) return texts.text('failures.verification')
  if (error instanceof ApiResponseError) return texts.text('failures.refused')
  if (error instanceof ConnectionError) return texts.text('failures.connection')
  if (error instanceof UnlinkedKeysError) return texts.text('failures.unlinkedKeys')
  if (error instanceof ChainError) {
    return texts.text('failures.chain', { at: error.snapshotId })
  }
  return texts.text('failures.other')
}

/** An audit that did not finish, with the translated reason. */
export function failureElement(
  texts: PageTexts,
  proofTexts: PageTexts,
  error: unknown,
): HTMLElement {
  const message = boxOf('p', 'small', textElement('code', String(error)))
  message.lang = 'en'
  return boxOf(
    'div',
    'note note-warn',
    textElement('h3', texts.text('failedTitle')),
    textElement('p', failureText(texts, error)),
    ...(error instanceof VerificationError
      ? [textElement('p', proofTexts.text(`faults.${error.code}`))]
      : []),
    message,
  )
}

/** The two sides of a contradiction, drawn as a broken link. */
function brokenLink(texts: PageTexts, { code, finding }: HistoryError): HTMLElement {
  const isOfBefore = code === 'SHORTENED' || code === 'REWRITTEN'
  const side = (label: string, value: string): HTMLElement =>
    boxOf(
      'div',
      'break-side',
      textElement('p', texts.text(label), 'break-label'),
      boxOf('p', '', textElement('code', value)),
    )
  return boxOf(
    'div',
    'break',
    side(isOfBefore ? 'before' : 'mustBe', finding.expected),
    textElement('p', texts.text('brokenLink'), 'break-gap'),
    side(isOfBefore ? 'now' : 'is', finding.found),
  )
}

/** Name of the evidence file: the fault and the time to the second. */
function evidenceName({ code }: HistoryError, nowMs: number): string {
  const moment = formatInstant(nowMs).replaceAll(/[-:]|\.\d+/g, '')
  return `svc-evidence-${code}-${moment}.json`
}

/** A contradiction: where it is, the two values, and the evidence as a file. */
export function faultElement(texts: PageTexts, error: HistoryError, nowMs: number): HTMLElement {
  const { code, evidence, finding } = error
  const name = evidenceName(error, nowMs)
  const file = new Blob([`${JSON.stringify(evidence)}\n`], { type: 'application/json' })
  const download = textElement('a', texts.text('evidence'), 'button')
  download.href = URL.createObjectURL(file)
  download.download = name
  const { at, found } = finding
  return boxOf(
    'div',
    'note note-warn',
    textElement('h3', texts.text('faultTitle')),
    boxOf('p', '', ...texts.richText(`faults.${code}`, { at, found })),
    brokenLink(texts, error),
    boxOf('p', '', download),
    boxOf('p', '', ...texts.richText('evidenceWhat', { option: '--pin' })),
    boxOf('p', '', textElement('code', `svc audit --check-evidence ${name} --pin KEYID`)),
    textElement('p', texts.text('rollout'), 'muted'),
  )
}
