import { connect } from 'node:net'

/** How a connection of a closed loop ended. */
export interface LoopEnding {
  readonly sent: number
  readonly answered: number
  /** Whether the last response said `Connection: close`. */
  readonly saidClose: boolean
}

const HEAD_END = '\r\n\r\n'

/**
 * Sends one request after the other on one connection until a response says close, or the connection ends. `underWay`
 * resolves when the connection has been used twice, or has ended.
 */
export function runClosedLoop(port: number, target: string) {
  const request = `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  const underWay = Promise.withResolvers<void>()
  const ended = new Promise<LoopEnding>((resolve) => {
    let sent = 0
    let answered = 0
    let saidClose = false
    let received = ''
    const socket = connect(port, '127.0.0.1')
    const send = () => {
      sent += 1
      socket.write(request)
    }
    socket.setEncoding('latin1')
    socket.on('connect', send)
    socket.on('data', (text: string) => {
      received += text
      const end = received.indexOf(HEAD_END)
      if (end === -1) return
      const head = received.slice(0, end)
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1])
      if (received.length < end + HEAD_END.length + length) return
      received = ''
      answered += 1
      if (answered === 2) underWay.resolve()
      saidClose = /^connection: close/im.test(head)
      if (saidClose) socket.end()
      else send()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      underWay.resolve()
      resolve({ sent, answered, saidClose })
    })
  })
  return { underWay: underWay.promise, ended }
}
