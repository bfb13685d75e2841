import type { Input } from './input.js';
import { nodeOf, stageFields } from './stage.js';
import { branchOf } from './state.js';
import type { Transition } from './transition.js';

/** Records words for the model of a running stage, which gets them when it can. */
export function steer(
  transition: Transition,
  { cursor: id, words }: Extract<Input, { kind: 'steered' }>,
): void {
  const cursor = transition.cursor(id);
  const { id: steering_id, text, by } = words;
  transition.emit({
    type: 'StageSteered',
    ...stageFields(nodeOf(transition, cursor), cursor),
    steering_id,
    text,
    by,
    branch: branchOf(id),
  });
  transition.perform({ kind: 'say', cursor: id, words });
}
