import type { Attribute, Node } from '../../../graph/graph.js';
import { listedKeys } from '../../../graph/values/key-lists.js';
import { isAlwaysSet, writingType } from '../../analysis/context-writes.js';
import { type ControlFlow, controlFlow, type Step } from '../../analysis/control-flow.js';
import { keyReadTest } from '../../analysis/key-read-test.js';
import { attributeOwners } from '../../attribute-owners.js';
import { spanInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS §12: a declared write is meant to be read by another stage. */
export const neverRead: LintRule = {
  name: 'never_read',
  severity: 'info',
  summary: 'What stands in a `writes` is read somewhere.',
  rationale:
    'A key that a stage names in its `writes`, and that no `reads`, no condition, no template and no command asks for, is left over, or misspelt in one of the two places. Name it in the `reads` of the stage that needs it: models see the context in what they are told, and so the graph alone does not show it. A key of the last stage of a pipeline is its result, and a `score` in a branch is for the fan-in.',
  provesAbsence: true,
  *apply(graph, { handlerTypes, source }) {
    const writing = attributeOwners(graph).nodesWith('writes');
    if (writing.length === 0) return;
    const flow = controlFlow(graph, handlerTypes);
    const isRead = keyReadTest(graph);
    const reported = new Set<Attribute>();
    for (const node of writing) {
      const attribute = node.attributes.get('writes');
      if (attribute === undefined || reported.has(attribute) || isLast(flow, node)) continue;
      reported.add(attribute);
      const inBranch = flow.placesOf(node.id).some(({ region }) => region !== undefined);
      for (const { key, span } of listedKeys(attribute)) {
        if (isAlwaysSet(key) || writingType(key) !== undefined || isRead(key, inBranch)) continue;
        yield {
          message: `nothing reads \`${key}\`: no \`reads\`, no condition, no template and no command of this pipeline asks for it`,
          span: spanInside(attribute, span, source),
          nodeId: node.id,
          fix: { title: 'name it in the `reads` of the stage that needs it, or leave it out', edits: [] },
        };
      }
    }
  },
};

/** True if only the end follows a stage: then its writes are the result of the pipeline. */
function isLast(flow: ControlFlow, { id }: Node): boolean {
  const isEnd = ({ to, by }: Step) => by === 'goal_gate' || flow.places[to]?.handler.type === 'exit';
  return flow
    .placesOf(id)
    .every(({ index, region }) => region === undefined && flow.stepsFrom(index).every(isEnd));
}
