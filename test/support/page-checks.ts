import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { HtmlValidate } from 'html-validate'
import type { Page } from 'playwright-core'

const validator = new HtmlValidate({ extends: ['html-validate:recommended'] })

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
  const options = rules === undefined ? '' : JSON.stringify({ runOnly: rules })
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as AxeResults
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
  )
}
