// Preloaded into a measured server (node --import). Reports the CPU time of its process on request.
process.on('message', () => {
  process.send?.(process.cpuUsage())
})
// Ends with the benchmark, and does not keep the process alive.
process.on('disconnect', () => process.exit())
process.channel?.unref()
