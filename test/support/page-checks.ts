import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { HtmlValidate, StaticConfigLoader } from 'html-validate'
import type { Page } from 'playwright-core'

/** Resolves its configuration once. html-validate does it for each page, which takes longer than the checks. */
class FixedConfigLoader extends StaticConfigLoader {
  private resolved: ReturnType<StaticConfigLoader['getConfigFor']> | undefined

  override getConfigFor(): ReturnType<StaticConfigLoader['getConfigFor']> {
    return (this.resolved ??= super.getConfigFor(''))
  }
}

const loader = new FixedConfigLoader({
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
    // Templates are sent as the formatter of the sources writes them.
    'void-style': ['error', { style: 'selfclosing' }],
    'no-trailing-whitespace': 'off',
    // Only for files of other origins: paths of our own contain a digest of their content.
    'require-sri': ['error', { target: 'crossorigin' }],
    // The HTML standard (3.2.6) forbids only white space, and anchors use existing names: `v1.0.0`.
    'valid-id': ['error', { relaxed: true }],
    // Checkboxes that are one choice of several have one name, as radio buttons have.
    'form-dup-name': ['error', { shared: ['radio', 'checkbox', 'button', 'submit', 'reset'] }],
  },
})

const validator = new HtmlValidate(loader)

/** Messages of html-validate about a page, with lines. */
export async function htmlFaults(text: string): Promise<readonly string[]> {
  const { results } = await validator.validateString(text)
  return results.flatMap(({ messages }) =>
    messages.map(({ line, ruleId, message }) => `line ${line}: ${ruleId}: ${message}`),
  )
}

let axeSource: string | undefined

/** Violations that axe-core finds on a page, with their elements; by all or some of its rules. */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  axeSource ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  // Not as a script element: the page's policy lets none in.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axeSource)
  // Passed checks are not reported, which saves most of the time.
  const quick = {
    resultTypes: ['violations'],
    selectors: false,
    iframes: false,
    // Fetches style sheets again, for rules that are off, and media, which no page has.
    preload: false,
    // WCAG 2.2; off unless it is named.
    rules: { 'target-size': { enabled: true } },
  }
  const options = JSON.stringify({ ...quick, ...(rules === undefined ? {} : { runOnly: rules }) })
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as AxeResults
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
  )
}
