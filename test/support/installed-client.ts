import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { buildClient } from '../../scripts/build-client.ts'

const run = promisify(execFile)

/** The client as a user has it. */
export interface InstalledClient {
  /** The folder that the package was packed from. */
  readonly built: string
  readonly tarball: string
  /** A project with the package installed. */
  readonly consumer: string
}

/** Builds the client, packs it and installs the tarball, all below a folder and without a network. */
export async function installClient(root: string): Promise<InstalledClient> {
  const built = path.join(root, 'built')
  const consumer = path.join(root, 'consumer')
  mkdirSync(built)
  mkdirSync(consumer)
  const npm = (args: readonly string[], cwd: string) =>
    run('npm', [...args, '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd,
      env: {
        ...process.env,
        npm_config_cache: path.join(root, 'cache'),
        npm_config_update_notifier: 'false',
      },
    })
  await buildClient(built)
  await npm(['pack', '--pack-destination', root], built)
  const tarball = path.join(root, readdirSync(root).find((file) => file.endsWith('.tgz')) ?? '')
  writeFileSync(path.join(consumer, 'package.json'), '{"private":true,"type":"module"}')
  await npm(['install', tarball], consumer)
  return { built, tarball, consumer }
}
