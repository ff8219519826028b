import './compile-cache.mjs'

await import('./main.ts')
