import * as fc from 'fast-check'

const SURROGATES_START = 0xd800
const SURROGATES_END = 0xe000

/**
 * Any code point but the surrogates, as a unit of `fc.string`. The same distribution as `unit: 'binary'`, which builds
 * a table of a million entries in every process that uses it.
 */
export const ANY_CODE_POINT = fc
  .integer({ min: 0, max: 0x10_ffff - (SURROGATES_END - SURROGATES_START) })
  .map(
    (index) =>
      String.fromCodePoint(
        index < SURROGATES_START ? index : index + SURROGATES_END - SURROGATES_START,
      ),
    (value) => {
      const code = typeof value === 'string' ? value.codePointAt(0) : undefined
      if (code === undefined || value !== String.fromCodePoint(code)) {
        throw new TypeError('expected one code point')
      }
      return code < SURROGATES_START ? code : code - (SURROGATES_END - SURROGATES_START)
    },
  )
