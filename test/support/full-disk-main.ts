import { fileURLToPath } from 'node:url'

// Runs the program with one of its folders on its own file system, so that a test can fill it up. Arguments: the
// folder, and the size as for mount. It keeps this process's id. Only this process and its children see the mount
// (user and mount namespaces of Linux), and it disappears with them.
const [folder = '', size = ''] = process.argv.slice(2)
const MOUNT_AND_GO =
  'mkdir -p "$1" && mount -t tmpfs -o "size=$2" tmpfs "$1" && shift 2 && exec "$@"'
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const command = ['unshare', '--map-root-user', '--mount', 'sh', '-c', MOUNT_AND_GO, 'sh']
process.execve?.('/usr/bin/env', ['env', ...command, folder, size, process.execPath, main])
throw new Error('This system cannot replace a process')
