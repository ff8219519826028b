import { runProcess } from '../../packages/cli/src/command/run-process.ts'
import { runProgram } from './program.ts'

await runProcess(runProgram)
