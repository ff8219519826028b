// Loaded before a measured server (node --import): tells the CPU time that its process has used, whenever it is asked.
// Nothing of it runs while requests are served.
process.on('message', () => {
  process.send?.(process.cpuUsage())
})
// The benchmark's end is the server's end, and asking is no reason to live on.
process.on('disconnect', () => process.exit())
process.channel?.unref()
