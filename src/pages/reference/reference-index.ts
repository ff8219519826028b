import { errorsOf } from '@public-api/contract/registry/endpoints'
import { DATA_SCHEMAS, REQUEST_SCHEMAS } from '@public-api/contract/registry/schemas'
import type { Locale } from '@public-api/contract/terms/locales'
import { endpointPath, pathOfPage } from '../addresses.ts'
import { type PageContext } from '../page.ts'
import { contractPlainText } from '../texts/contract-texts.ts'
import { fieldAddresses } from './reference-fields.ts'

/** Where the filter of the reference finds what it searches besides paths. */
export function referenceIndexPath(locale: Locale): string {
  return `/${locale}/reference.json`
}

/**
 * What endpoints are found by besides their paths, by the link to each: `title`, other `words` (the description, and both
 * in English), and `parts`: links to fields, on the page of the endpoint, and to error codes.
 */
export function renderReferenceIndex({ locale, facts }: PageContext): string {
  const errors = pathOfPage(locale, 'errors')
  const entries = Object.entries(facts.registry).map(([name, row]) => {
    const { summary, description, parameter, query = {}, request, success } = row
    const fields = [
      ...(parameter === undefined ? [] : [`${name}.path.${parameter.name}`]),
      ...Object.keys(query).map((each) => `${name}.query.${each}`),
      ...(request === undefined ? [] : fieldAddresses(`${name}.body`, REQUEST_SCHEMAS[request])),
      ...(success === undefined ? [] : fieldAddresses(name, DATA_SCHEMAS[success.data])),
    ]
    const parts = [
      ...fields.map((id) => `#${id}`),
      ...errorsOf(row).map((code) => `${errors}#${code}`),
    ]
    const words = [contractPlainText(locale, description), summary, description].join(' ')
    const title = contractPlainText(locale, summary)
    return [endpointPath(locale, name, row), { title, words, parts }] as const
  })
  return JSON.stringify(Object.fromEntries(entries))
}
