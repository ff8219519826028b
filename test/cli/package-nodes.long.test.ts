import { OTHER_NODES } from '../support/nodes-on-path.ts'
import { testNodes, usePackedCommands } from './packed-commands.ts'

testNodes(usePackedCommands(), OTHER_NODES)
