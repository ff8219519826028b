// Prints what the HTTP Observatory of MDN (https://developer.mozilla.org/en-US/observatory) says about localhost. It
// connects to the ports 80 and 443, in whose place are those of the arguments.

import { Socket } from 'node:net'
import { pathToFileURL } from 'node:url'

const [scanner, http, https] = process.argv.slice(2)
const ports = new Map([
  [80, Number(http)],
  [443, Number(https)],
])
const { connect } = Socket.prototype
Socket.prototype.connect = function (...args) {
  const options = [args].flat(2).find((each) => typeof each === 'object' && each !== null)
  options.port = ports.get(Number(options.port)) ?? options.port
  return connect.apply(this, args)
}
const { scan } = await import(pathToFileURL(scanner).href)
process.stdout.write(JSON.stringify(await scan('localhost')))
