/** Printed whenever something was verified without a pin (trust on first use). */
export const UNPINNED_WARNING =
  'No key is pinned, so the keys that the server names are trusted. A copy of the service with its own keys would pass too. Get the key ID through another channel and pass it as --pin.'
