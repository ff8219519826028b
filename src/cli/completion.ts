import { createCompletionCommand } from '@public-api/cli-kit/completion'

export const command = createCompletionCommand(async () => (await import('./program.ts')).COMMANDS)
