import type { RunState } from '../../src/machine/state.js';
import { checkpointOf } from '../../src/run-directory/checkpoint.js';
import { jsonText } from '../../src/run-directory/json-text.js';

/** The checkpoint of a state, as one finds it in `checkpoint.json`. */
export function checkpointAsRead(state: RunState, graphHash: string): Record<string, unknown> {
  return JSON.parse([...jsonText(checkpointOf(state, graphHash, 0))].join(''));
}
