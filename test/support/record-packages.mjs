// Preloaded with --import: appends the name of each installed package that the process loads to RECORD_PACKAGES.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const seen = new Set()

registerHooks({
  load(url, context, next) {
    const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url)?.[1]
    if (name !== undefined && !seen.has(name)) {
      seen.add(name)
      appendFileSync(process.env.RECORD_PACKAGES, `${name}\n`)
    }
    return next(url, context)
  },
})
