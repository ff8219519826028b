import { enableCompileCache, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Keeps modules that load from now on compiled, so that the next start finds them and does not load the compiler of
 * TypeScript: a third of the time and 15 MB. The cache is in the checkout and not in the temporary folder, where other users
 * could plant code that runs with the signing key. Without a writable folder, each start is like the first.
 */
export function keepCompiled() {
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/svc', import.meta.url)))
  registerHooks({ resolve: resolveOwn })
}

/** Where the modules of each package of this repository are, once the first one was found. */
const places = new Map()

/**
 * Finds modules of this repository by their names. For each import of each, Node asks the disk for the file and for its
 * package in all folders above: an eighth of a start.
 */
function resolveOwn(name, context, next) {
  if (/^\.\.?\/.*\.ts$/.test(name)) {
    return { url: new URL(name, context.parentURL).href, shortCircuit: true }
  }
  const [, owner, module] = /^(@public-api\/[^/]+\/|#contract\/)([^.]+)$/.exec(name) ?? []
  const place = places.get(owner)
  if (place !== undefined) return { url: `${place}${module}.ts`, shortCircuit: true }
  const found = next(name, context)
  if (owner !== undefined) places.set(owner, found.url.slice(0, -`${module}.ts`.length))
  return found
}
