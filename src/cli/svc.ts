import { runProcess } from '@public-api/cli-kit/run-process'
import { runProgram } from './program.ts'

runProcess(runProgram)
