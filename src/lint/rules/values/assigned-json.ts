import type { Attribute } from '../../../graph/graph.js';
import { assignmentsOf } from '../../../graph/values/assignments.js';
import { isBrokenContainer } from '../../../graph/values/value-template.js';
import { writingNodes } from '../../analysis/context-writes.js';
import { valueSpanOf } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 102: a text that is JSON becomes a list or a map before its values are filled in. */
export const assignedJson: LintRule = {
  name: 'assigned_json',
  severity: 'warning',
  summary: 'A value of `assign.*` that looks like a JSON list or map is one.',
  rationale:
    'The value of an `assign.<key>` is a list or a map if it is valid JSON as written. References in its strings are then replaced, and a string that is a single `${path}` becomes the value with its type. In `[${context.a}]` the reference is not in quotes, so the value is not JSON, and the key gets a text. Write `"[\\"${context.a}\\"]"`: despite the quotes, the value keeps its type.',
  *apply(graph, { source }) {
    const seen = new Set<Attribute>();
    for (const node of writingNodes(graph)) {
      for (const { attribute } of assignmentsOf(node)) {
        const { name, value } = attribute;
        if (seen.has(attribute) || typeof value !== 'string' || !isBrokenContainer(value)) continue;
        seen.add(attribute);
        yield {
          message: `\`${name}\` looks like a JSON ${value.trim().startsWith('[') ? 'list' : 'map'}, but is a text, because it is not valid JSON as written`,
          span: valueSpanOf(attribute, source),
          nodeId: node.id,
          fix: {
            title: value.includes('${')
              ? 'put each `${…}` in quotes; a value that is the whole string keeps its type'
              : 'correct the JSON, or begin the text with another character',
            edits: [],
          },
        };
      }
    }
  },
};
