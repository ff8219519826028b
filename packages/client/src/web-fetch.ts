import type { Fetch } from './connection.ts'

/** Wrapped, because a browser's fetch throws if it is called as a method of another object. */
export const platformFetch: Fetch = (url, init) => fetch(url, init)
