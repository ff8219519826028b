// The build takes this module in place of the SDK's `_shims`, which bundle a second validator of JSON Schema, without its
// license. The SDK uses it for forms that servers ask users to fill in; this server asks for none.

export { default as process } from 'node:process'

/** In place of the SDK's validator. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('this server validates no forms')
  }
}
