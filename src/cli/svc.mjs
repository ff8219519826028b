import '../compile-cache.mjs'

await import('./svc.ts')
