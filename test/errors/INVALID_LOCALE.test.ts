import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('INVALID_LOCALE: an unlisted locale is 400', async (t) => {
  const bodies = [
    { ...GOOD_BODY, locale: ECHO_MARKER },
    { ...GOOD_BODY, locale: '' },
    { ...GOOD_BODY, locale: null },
    { ...GOOD_BODY, locale: ['en'] },
    { ...GOOD_BODY, locale: 'zh' },
    { ...GOOD_BODY, locale: 'zh-cn' },
    { ...GOOD_BODY, locale: 'en-US' },
  ]
  await assertRegistrationsRefused(
    t,
    bodies.map((body) => ({ body: JSON.stringify(body) })),
    { code: 'INVALID_LOCALE', status: 400, retryable: false },
  )
})
