import { runProcess } from '@public-api/cli-kit/run-process'
import { runProgram } from './program.ts'

await runProcess(runProgram)
