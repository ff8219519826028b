/** A property that a value from outside has of its own; undefined where it has none, or is no object. */
export function propertyOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as { readonly [name: string]: unknown })[name]
}
