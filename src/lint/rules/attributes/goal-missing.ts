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
  summary: 'A pipeline whose prompts use `$goal` has a goal.',
  rationale:
    '`$goal` in a prompt is replaced with the `goal` of the graph. Without one, `$goal` becomes empty, and the model gets an incomplete sentence. Set `goal` on the graph. For values that differ from run to run, pass `--set topic=…` and write `${inputs.topic}` in the prompt.',
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
          message: '`$goal` is empty here, because the graph has no `goal`',
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
