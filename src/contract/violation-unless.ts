/** The message as a list, or an empty list if the rule holds. */
export function violationUnless(holds: boolean, message: string): readonly string[] {
  return holds ? [] : [message]
}
