import { runProcess } from '@public-api/cli-kit/run-process'
import { runCommandLine } from './program.ts'

runProcess(runCommandLine)
