/** The fault as a list of one, or an empty list when the rule holds. */
export function unless(holds: boolean, fault: string): readonly string[] {
  return holds ? [] : [fault]
}
