import { CommandFailure } from '@public-api/cli-kit/command'

/**
 * Writes a part of a long output. Resolves when the reader can take more, which limits memory; with `false` when the
 * reader has closed the pipe, as `head` does. Rejects with a CommandFailure.
 */
export function writeToStandardOutput(part: Uint8Array | string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    process.stdout.write(part, (error) => {
      if (error === null || error === undefined) resolve(true)
      else if ('code' in error && error.code === 'EPIPE') resolve(false)
      else {
        reject(
          new CommandFailure(
            'UNWRITABLE',
            `standard output: could not be written (${error.message})`,
          ),
        )
      }
    })
  })
}
