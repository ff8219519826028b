import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { HtmlValidate } from 'html-validate'
import type { Page } from 'playwright-core'

const validator = new HtmlValidate({
  root: true,
  elements: [
    'html5',
    { 'altcha-widget': { flow: true, phrasing: true, interactive: true, labelable: true } },
  ],
  // In this order: where the sets differ, the strictest setting is the last.
  extends: [
    'html-validate:standard',
    'html-validate:document',
    'html-validate:recommended',
    'html-validate:a11y',
  ],
  rules: {
    'no-style-tag': 'error',
    'no-unknown-elements': 'error',
    // Only where another origin could change a file: the addresses of our own hold a digest of their content.
    'require-sri': ['error', { target: 'crossorigin' }],
    // The HTML standard (3.2.6) forbids nothing but white space, and anchors are named for what they stand at: `v1.0.0`.
    'valid-id': ['error', { relaxed: true }],
    // Checkboxes that are one choice of several have one name, as radio buttons have.
    'form-dup-name': ['error', { shared: ['radio', 'checkbox', 'button', 'submit', 'reset'] }],
  },
})

/** What html-validate has to say of a page, each with its line. */
export async function htmlFaults(text: string): Promise<readonly string[]> {
  const { results } = await validator.validateString(text)
  return results.flatMap(({ messages }) =>
    messages.map(({ line, ruleId, message }) => `line ${line}: ${ruleId}: ${message}`),
  )
}

let axeSource: string | undefined

/** What axe-core finds on a page as it is shown now, each with the elements it is about; by its rules or some of them. */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  axeSource ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  // Not as a script element: the page's policy lets none in.
  await page.evaluate(axeSource)
  // What is fine is not told, and no selector made for it: that is most of the time.
  const quick = { resultTypes: ['violations'], selectors: false, iframes: false }
  const options = JSON.stringify({ ...quick, ...(rules === undefined ? {} : { runOnly: rules }) })
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as AxeResults
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
  )
}
