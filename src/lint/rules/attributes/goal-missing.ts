import { graphAttribute } from '../../../graph/attributes.js';
import { mapSpan } from '../../../parser/dot/value-places.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { isWritten } from '../../findings-inside.js';
import { misspelt } from '../../misspelt.js';
import type { LintRule } from '../../rule.js';

/** §9.2, SEMANTICS 60: `$goal` is replaced by the goal of the graph, or by nothing if it has none. */
export const goalMissing: LintRule = {
  name: 'goal_missing',
  severity: 'warning',
  summary: 'A pipeline whose prompts name `$goal` has a goal.',
  rationale:
    'In a prompt, `$goal` stands for the `goal` of the graph. Without one it stands for nothing, and the model is sent a sentence with a hole in it. Set `goal` on the graph; what differs from run to run is given by `--set topic=…`, and a prompt has it by `${inputs.topic}`.',
  provesAbsence: true,
  *apply(graph, { source }) {
    if (graphAttribute(graph, 'goal') !== '' || misspelt(graph).graphMeans('goal')) return;
    for (const name of ['prompt', 'label']) {
      for (const { owner, attribute } of distinctAttributes(graph.nodes.values(), name)) {
        const [first] = attribute.insertions ?? [];
        if (first === undefined || attribute.origin !== 'transform') continue;
        const { start } = first.span;
        const written = { start, end: start + first.writtenLength };
        yield {
          message: '`$goal` stands for nothing here, because the graph has no `goal`',
          span: isWritten(attribute, source)
            ? mapSpan(source.text, attribute.valueSpan, written)
            : attribute.valueSpan,
          nodeId: owner.id,
          fix: { title: 'add `goal="…"` to the graph', edits: [] },
        };
        return;
      }
    }
  },
};
