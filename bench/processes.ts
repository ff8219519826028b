import { readdirSync, readFileSync } from 'node:fs'

function readProc(file: string): string | undefined {
  try {
    return readFileSync(`/proc/${file}`, 'utf8')
  } catch {
    return undefined
  }
}

/** Parent of a process: the fourth field of its stat line, after a name in parentheses that may hold anything. */
function parentOf(pid: string): number {
  const stat = readProc(`${pid}/stat`) ?? ''
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

/** The youngest descendant of a process: under npm, the program that it started. Undefined without /proc. */
export function lastDescendantOf(pid: number): number | undefined {
  if (readProc('self/stat') === undefined) return undefined
  const child = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((name) => parentOf(name) === pid)
  return child === undefined ? pid : lastDescendantOf(Number(child))
}

/** Resident memory of a process in megabytes (10⁶ bytes). */
export function residentMegabytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(`${pid}/status`) ?? '')?.[1]
  if (kibibytes === undefined) throw new Error(`The process ${pid} is gone`)
  return (Number(kibibytes) * 1024) / 1e6
}
