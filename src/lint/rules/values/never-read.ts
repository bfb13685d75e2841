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
  summary: 'Every key in a `writes` is read somewhere.',
  rationale:
    'A key that a stage lists in its `writes`, but that no `reads`, condition, template or command uses, is obsolete, or misspelt in one of the places. Add it to the `reads` of the stage that needs it: a model may see it in the context without any mention in the graph. A key of the last stage is the result of the pipeline, and a `score` in a branch is for the fan-in, so they are not reported.',
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
          message: `nothing reads \`${key}\`: no \`reads\`, no condition, no template and no command of this pipeline uses it`,
          span: spanInside(attribute, span, source),
          nodeId: node.id,
          fix: { title: 'add it to the `reads` of the stage that needs it, or remove it', edits: [] },
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
