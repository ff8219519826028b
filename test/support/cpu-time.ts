/** Processor time of this thread in milliseconds. Other processes on a busy machine do not lengthen it. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
