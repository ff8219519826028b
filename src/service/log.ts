/**
 * Where the service writes what an operator should know. Fields never hold an address, a query, a user agent, a key or
 * anything else a caller sent but the method and the name of the endpoint.
 */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
