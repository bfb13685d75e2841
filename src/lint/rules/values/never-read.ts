import type { Attribute, Node } from '../../../graph/graph.js';
import { writingType } from '../../../graph/values/handler-keys.js';
import { isKey } from '../../../graph/values/key-lists.js';
import { reservedAs, type WrittenKey, writtenKeys } from '../../../graph/values/written-keys.js';
import { isAlwaysSet, writingNodes } from '../../analysis/context-writes.js';
import { type ControlFlow, controlFlow, type Step } from '../../analysis/control-flow.js';
import { keyReadTest } from '../../analysis/key-read-test.js';
import { spanInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS §12: a declared write is meant to be read by another stage. */
export const neverRead: LintRule = {
  name: 'never_read',
  severity: 'info',
  summary: 'Every key in a `writes`, or set by `assign.*`, is read somewhere.',
  rationale:
    'A key that a stage lists in its `writes` or sets by `assign.<key>`, but that no `reads`, condition, template or command uses, is obsolete or misspelt. Add it to the `reads` of the stage that needs it: a model may see it in the context without any mention in the graph. A key of the last stage is the result of the pipeline, and a `score` in a branch is for the fan-in, so they are not reported.',
  provesAbsence: true,
  followsFlow: true,
  tag: 'unnecessary',
  *apply(graph, { handlerTypes, source }) {
    const writing = writingNodes(graph);
    if (writing.size === 0) return;
    const flow = controlFlow(graph, handlerTypes);
    const isRead = keyReadTest(graph);
    const reported = new Set<Attribute>();
    for (const node of writing) {
      if (isLast(flow, node)) continue;
      const inBranch = flow.placesOf(node.id).some(({ region }) => region !== undefined);
      for (const { key, attribute, span } of unreported(node, reported)) {
        if (reservedAs(key) !== undefined || !isKey(key)) continue;
        if (isAlwaysSet(key) || writingType(key) !== undefined || isRead(key, inBranch)) continue;
        yield {
          message: `nothing reads \`${key}\`: no \`reads\`, no condition, no template and no command of this pipeline uses it`,
          span: span === undefined ? attribute.keySpan : spanInside(attribute, span, source),
          nodeId: node.id,
          fix: { title: 'add it to the `reads` of the stage that needs it, or remove it', edits: [] },
        };
      }
    }
  },
};

/** Keys of attributes that have not been seen at another node, which a default block may give them too. */
function unreported(node: Node, reported: Set<Attribute>): readonly WrittenKey[] {
  const keys = writtenKeys(node).filter(({ attribute }) => !reported.has(attribute));
  for (const { attribute } of keys) reported.add(attribute);
  return keys;
}

/** True if only the end follows a stage: then its writes are the result of the pipeline. */
function isLast(flow: ControlFlow, { id }: Node): boolean {
  const isEnd = ({ to, by }: Step) => by === 'goal_gate' || flow.points[to]?.handler.type === 'exit';
  return flow
    .placesOf(id)
    .every(({ index, region }) => region === undefined && flow.stepsFrom(index).every(isEnd));
}
