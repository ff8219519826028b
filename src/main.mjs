import { keepCompiled } from './compile-cache.mjs'

keepCompiled()
await import('./main.ts')
