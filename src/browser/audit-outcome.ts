import { ApiResponseError } from '@public-api/client-internal/api-response-error'
import {
  UnlinkedKeysError,
  type HistoryError,
} from '@public-api/client-internal/history/history-error'
import { UnsettledError } from '@public-api/client-internal/history/unsettled-error'
import { isOutage } from '@public-api/client-internal/outage'
import { VerificationError } from '@public-api/client-internal/verification-error'
import { formatInstant } from '@public-api/contract/text/instant'
import type { PageLogFault } from './log-audit.ts'
import { pageElement } from './page-element.ts'
import type { PageTexts } from './page-texts.ts'

/** The name of the text of a failure that is unrelated to the history. */
function failureOf(error: unknown): string {
  // WebCrypto needs https, and older browsers have no Ed25519.
  const isUnsupported = error instanceof DOMException && error.name === 'NotSupportedError'
  if (!isSecureContext || isUnsupported) return 'unsupported'
  if (isOutage(error)) return 'connection'
  if (error instanceof VerificationError) return 'verification'
  if (error instanceof ApiResponseError) return 'refused'
  if (error instanceof UnlinkedKeysError) return 'unlinkedKeys'
  return error instanceof UnsettledError ? 'unsettled' : 'other'
}

/** What the failed step of a response expected and found; undefined if no step compared something. */
function comparedElement(proofTexts: PageTexts, { steps }: VerificationError) {
  const failed = steps?.find(({ outcome }) => outcome === 'failed')
  if (failed === undefined) return undefined
  const rows = (['expected', 'found'] as const).flatMap((part) => {
    const values = failed[part].map((value) => pageElement('p', [pageElement('code', value)]))
    return values.length === 0
      ? []
      : [pageElement('dt', proofTexts.text(part)), pageElement('dd', values, `step-${part}`)]
  })
  return pageElement('div', [pageElement('dl', rows)], 'step-detail')
}

/** An audit that did not finish, with the translated reason. */
export function failureElement(
  texts: PageTexts,
  proofTexts: PageTexts,
  error: unknown,
): HTMLElement {
  const isUntrusted = error instanceof VerificationError && !isOutage(error)
  const message = pageElement('p', [pageElement('code', String(error))], 'small')
  message.lang = 'en'
  const fault = isUntrusted ? [pageElement('p', proofTexts.text(`faults.${error.code}`))] : []
  const compared = isUntrusted ? comparedElement(proofTexts, error) : undefined
  const isOfResponse = error instanceof VerificationError || error instanceof ApiResponseError
  const response = isOfResponse ? error.response : undefined
  const named =
    response === undefined
      ? []
      : [pageElement('p', [pageElement('code', `${response.method} ${response.target}`)])]
  return pageElement(
    'div',
    [
      pageElement('h3', texts.text('failedTitle')),
      pageElement('p', texts.text(`failures.${failureOf(error)}`)),
      ...named,
      ...fault,
      compared ?? message,
    ],
    'note note-warn',
  )
}

/** A button that saves evidence as a file, and the name of the file. */
function evidenceDownload(texts: PageTexts, code: string, evidence: unknown) {
  const moment = formatInstant(Date.now()).replaceAll(/[-:]|\.\d+/g, '')
  const name = `svc-evidence-${code}-${moment}.json`
  const file = new Blob([`${JSON.stringify(evidence)}\n`], { type: 'application/json' })
  const download = pageElement('a', texts.text('evidence'), 'button')
  download.href = URL.createObjectURL(file)
  download.download = name
  return { name, download }
}

/** How to check evidence: the published command, if the page names one. */
function evidenceCommand(options: string): readonly HTMLElement[] {
  const { commands } = document.querySelector<HTMLElement>('#audit-form')?.dataset ?? {}
  if (commands === undefined) return []
  return [pageElement('p', [pageElement('code', `${commands} audit --check-evidence ${options}`)])]
}

/** A log that did not pass, with the evidence if there is any. */
export function logFaultElement(
  texts: PageTexts,
  logTexts: PageTexts,
  { code, detail, evidence }: PageLogFault,
): HTMLElement {
  const message = pageElement('p', [pageElement('code', detail)], 'small')
  message.lang = 'en'
  const parts: HTMLElement[] = [
    pageElement('h3', logTexts.text('faultTitle')),
    pageElement('p', logTexts.text(`faults.${code}`)),
    message,
  ]
  if (evidence !== undefined) {
    const { name, download } = evidenceDownload(texts, code, evidence)
    const pin = code === 'FORK' ? '' : ' --pin KEYID'
    parts.push(
      pageElement('p', [download]),
      pageElement('p', logTexts.text('evidenceWhat')),
      ...evidenceCommand(`${name} --policy FILE${pin}`),
    )
  }
  return pageElement('div', parts, 'note note-warn')
}

/** A contradiction: where it is, the two values as a broken link, and the evidence as a file. */
export function faultElement(texts: PageTexts, error: HistoryError): HTMLElement {
  const { code, evidence, finding } = error
  const { at, expected, found } = finding
  const { name, download } = evidenceDownload(texts, code, evidence)
  const side = (label: string, value: string): HTMLElement => {
    const shown = pageElement('p', [pageElement('code', value)])
    return pageElement(
      'div',
      [pageElement('p', texts.text(label), 'muted small'), shown],
      'break-side',
    )
  }
  const isOfBefore = code === 'SHORTENED' || code === 'REWRITTEN'
  const link = [
    side(isOfBefore ? 'before' : 'mustBe', expected),
    pageElement('p', texts.text('brokenLink'), 'state state-bad'),
    side(isOfBefore ? 'now' : 'is', found),
  ]
  return pageElement(
    'div',
    [
      pageElement('h3', texts.text('faultTitle')),
      pageElement('p', texts.richText(`faults.${code}`, { at, found })),
      pageElement('div', link, 'break'),
      pageElement('p', [download]),
      pageElement('p', texts.text('evidenceWhat')),
      ...evidenceCommand(`${name} --pin KEYID`),
    ],
    'note note-warn',
  )
}
