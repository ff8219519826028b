const MAX_SHOWN = 200

/** What a server said, fit for a terminal: one line, no control characters, not endless. */
export function sanitizeForTerminal(text: string, most: number = MAX_SHOWN): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
  return line.length <= most ? line : `${line.slice(0, most)}…`
}

/** Seconds, minutes, hours or days, as a person would say them. */
export function ageOf(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < 120) return `${whole} s`
  if (whole < 7200) return `${Math.floor(whole / 60)} min`
  return whole < 172_800 ? `${Math.floor(whole / 3600)} h` : `${Math.floor(whole / 86_400)} days`
}
