/** Loads a module script. Rejects if it cannot be loaded; then it can be loaded again. */
export async function loadScript(address: string): Promise<void> {
  const script = document.createElement('script')
  script.type = 'module'
  script.src = address
  try {
    await new Promise((resolve, reject) => {
      script.addEventListener('load', resolve)
      script.addEventListener('error', () => reject(new Error(`${address} could not be loaded`)))
      document.head.append(script)
    })
  } finally {
    script.remove()
  }
}
