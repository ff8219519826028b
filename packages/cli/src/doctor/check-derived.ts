import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import type { Check } from './check.ts'
import { listOf } from './header-lists.ts'

const TARGET = ENDPOINTS.status.path
/** Checks that no cache makes other responses of a stored one, nor says where it runs. */
export const checkDerived: Check = async ({ observed, of, probe, skewMs }, report, { nowMs }) => {
  const cutting = observed.filter(({ response }) => response.field('Accept-Ranges') !== undefined)
  if (cutting[0] !== undefined) {
    const value = cutting[0].response.field('Accept-Ranges') ?? ''
    report('accept-ranges', cutting[0].where, `${value}, on ${cutting.length} responses`)
  }
  if (of(TARGET)?.isAsPromised === true) {
    const date = new Date(nowMs() + skewMs).toUTCString()
    const asked = [
      ['range-cut', 'Range', 'bytes=0-9'],
      ['date-compared', 'If-Modified-Since', date],
    ] as const
    for (const [id, name, value] of asked) {
      const { status } = await probe.ask({
        method: 'GET',
        target: TARGET,
        headers: { [name]: value },
      })
      if (status !== 200) report(id, `GET ${TARGET} (${name})`, `status ${status}`)
    }
  }
  const named = observed.find(({ response }) => {
    // A name without a dot may be that of a product. Squid always puts its host there, and has these forms.
    const cache = listOf(response.field('Cache-Status')).some((each) =>
      /^[^";]*\.|; *detail=/.test(each),
    )
    const via = listOf(response.field('Via')).some((each) => /^\S+ \S*\.|\(.*\d|\(squid/.test(each))
    return cache || via
  })
  if (named !== undefined) {
    const { field } = named.response
    report('machine-named', named.where, field('Cache-Status') ?? field('Via') ?? '')
  }
  return undefined
}
