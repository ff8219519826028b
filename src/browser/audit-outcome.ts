import { ApiResponseError } from '../../packages/client/src/api-response-error.ts'
import { UnlinkedKeysError, type HistoryError } from '../../packages/client/src/history-error.ts'
import { ConnectionError } from '../../packages/client/src/connection.ts'
import { VerificationError } from '../../packages/client/src/verification-error.ts'
import { formatInstant } from '../contract/instant.ts'
import { ChainError } from '../contract/version-chain.ts'
import { pageElement } from './page-element.ts'
import type { PageTexts } from './page-texts.ts'

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
  const message = pageElement('p', [pageElement('code', String(error))], 'small')
  message.lang = 'en'
  return pageElement(
    'div',
    [
      pageElement('h3', texts.text('failedTitle')),
      pageElement('p', failureText(texts, error)),
      ...(error instanceof VerificationError
        ? [pageElement('p', proofTexts.text(`faults.${error.code}`))]
        : []),
      message,
    ],
    'note note-warn',
  )
}

/** The two sides of a contradiction, drawn as a broken link. */
function brokenLink(texts: PageTexts, { code, finding }: HistoryError): HTMLElement {
  const isOfBefore = code === 'SHORTENED' || code === 'REWRITTEN'
  const side = (label: string, value: string): HTMLElement =>
    pageElement(
      'div',
      [
        pageElement('p', texts.text(label), 'muted small'),
        pageElement('p', [pageElement('code', value)]),
      ],
      'break-side',
    )
  return pageElement(
    'div',
    [
      side(isOfBefore ? 'before' : 'mustBe', finding.expected),
      pageElement('p', texts.text('brokenLink'), 'state state-bad'),
      side(isOfBefore ? 'now' : 'is', finding.found),
    ],
    'break',
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
  const download = pageElement('a', texts.text('evidence'), 'button')
  download.href = URL.createObjectURL(file)
  download.download = name
  const { at, found } = finding
  return pageElement(
    'div',
    [
      pageElement('h3', texts.text('faultTitle')),
      pageElement('p', [...texts.richText(`faults.${code}`, { at, found })]),
      brokenLink(texts, error),
      pageElement('p', [download]),
      pageElement('p', [...texts.richText('evidenceWhat', { option: '--pin' })]),
      pageElement('p', [pageElement('code', `svc audit --check-evidence ${name} --pin KEYID`)]),
      pageElement('p', texts.text('rollout'), 'muted'),
    ],
    'note note-warn',
  )
}
