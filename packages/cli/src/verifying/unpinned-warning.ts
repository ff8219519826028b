/** Printed whenever something was verified without a pin (trust on first use). */
export const UNPINNED_WARNING =
  'No key is pinned, so the keys are those that the server names: a copy of the service with its own keys would pass too. Get the key id through another channel and give it as --pin.'
