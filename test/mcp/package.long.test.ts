import { test } from 'node:test'
import { NODES_OF_EACH_RUN } from '../support/nodes-on-path.ts'
import { assertPackedServer, skip } from './packed-server.ts'

void test('the packed server runs by npx in an empty folder', { skip }, (t) =>
  assertPackedServer(t, NODES_OF_EACH_RUN),
)
