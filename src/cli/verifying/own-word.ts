/** Told wherever something was verified without a pin: what that leaves open. */
export const OWN_WORD =
  "The keys are the server's own word: a copy of the service with keys of its own would look the same. Pin them with --pin, once you have their ids from somewhere else."
