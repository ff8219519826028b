import { readFileSync } from 'node:fs'

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly dev?: true
  readonly devOptional?: true
  readonly optional?: true
  readonly link?: true
  readonly resolved?: string
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/** The packages of the lock file by their folders. */
export const LOCKED_PACKAGES = packages

/** The names of the packages that `npm ci --omit=dev` installs at the top of node_modules, with their folders. */
export const INSTALLED: ReadonlyMap<string, string> = new Map(
  Object.entries(packages).flatMap(([location, { dev, devOptional, link, resolved }]) => {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(location)?.[1]
    if (name === undefined || dev || devOptional) return []
    return [[name, link ? (resolved ?? '') : location]]
  }),
)
