import { run } from '../../src/process/run.ts'
import { ALTCHA_WORK } from '../../src/service/challenge/altcha-challenge.ts'

// The program with challenges that a test solves in a few tries instead of thousands.
ALTCHA_WORK.maxCounter = 20
process.exitCode = await run(process.env, process.cwd())
