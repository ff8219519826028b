import { accessSync, constants } from 'node:fs'
import path from 'node:path'

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/** Where Debian has chromium-headless-shell: the same engine without windows, at half the processor time. */
const DEBIAN_FOLDER = '/usr/lib/chromium'

/** The reason when `findChromium` finds no browser. */
export const NO_CHROMIUM = `none of ${NAMES.join(', ')} is on the PATH`

/** Arguments of every Chromium started here: to run in a container, with few requests to its maker. */
export const CHROMIUM_ARGUMENTS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Has names of other machines not looked up. */
export const LOOPBACK_ONLY =
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * The first Chromium on the PATH or in Debian's folder, by the order of the names, as the path of its file; undefined if it is
 * not installed.
 */
export function findChromium(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), DEBIAN_FOLDER]
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) =>
    isExecutable(file),
  )
}

/** Environment that keeps Chromium's files outside the profile in one folder. */
export function chromiumHome(folder: string) {
  return { HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder } as const
}
