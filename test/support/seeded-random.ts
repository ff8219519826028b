/** Whole numbers from 0 up to, and without, `below`. */
export type RandomBelow = (below: number) => number

/** Random numbers that repeat with the same seed (mulberry32), so that failures can be reproduced. */
export function createSeededRandom(seed: number): RandomBelow {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** The seed in the environment variable, or a new one for each run. */
export function seedOf(variable: string): number {
  const given = process.env[variable]
  if (given === undefined || given === '') return Math.floor(Math.random() * 2 ** 32)
  if (!/^\d{1,10}$/.test(given)) {
    throw new Error(`${variable}: expected a whole number, found "${given}"`)
  }
  return Number(given)
}
