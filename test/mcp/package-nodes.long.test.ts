import { test } from 'node:test'
import { OTHER_NODES } from '../support/nodes-on-path.ts'
import { assertPackedServer, skip } from './packed-server.ts'

void test('the packed server runs with every other Node', { skip }, (t) =>
  assertPackedServer(t, OTHER_NODES),
)
