import { createCompletionCommand } from '@public-api/command/completion'

export const command = createCompletionCommand(async () => (await import('./commands.ts')).COMMANDS)
