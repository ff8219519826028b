import { keepCompiled } from '../compile-cache.mjs'

keepCompiled()
await import('./svc.ts')
