import { runProcess } from '@public-api/command/run-process'
import { runProgram } from './program.ts'

await runProcess(runProgram)
