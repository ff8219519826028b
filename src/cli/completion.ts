import { createCompletionCommand } from '@public-api/command/completion'

export const command = createCompletionCommand(async () => (await import('./program.ts')).COMMANDS)
