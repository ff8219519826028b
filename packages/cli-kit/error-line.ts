/** A line on standard error that says what is wrong and, after wrong usage, how to call `command`. */
export function formatErrorLine(message: string, command?: string): string {
  if (command === undefined) return `error: ${message}`
  const sentence = /[.?!]$/.test(message) ? message : `${message}.`
  return `error: ${sentence} Run '${command} --help' for usage.`
}
