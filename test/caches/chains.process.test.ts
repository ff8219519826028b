import { describeChain, LAYERS } from './documented-chain.ts'

for (const layer of LAYERS) describeChain([layer])
// The pairs in which one makes the other cut, where each alone is right; chains.long.test.ts has all.
describeChain(['nginx', 'Varnish'])
describeChain(['nginx', 'Squid'])
describeChain(['Varnish', 'nginx'])
