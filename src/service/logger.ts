/**
 * The log of the service. Fields never contain an address, a query, a user agent, a key or anything else that a client sent,
 * except the method and the name of the endpoint.
 */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
