import { type Diagnostic, hasErrors } from '../../../diagnostic/diagnostic.js';
import type { Graph } from '../../../graph/graph.js';
import { nodeConditions } from '../../../graph/queries.js';
import { parseCondition } from '../../../parser/condition/parse.js';
import { parseTemplate } from '../../../parser/template/parse.js';
import { findingsInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';
import { attributesWithValues, type WrittenAttribute } from '../../written-attributes.js';

/** SEMANTICS §12 "Values at run time": only templated attributes take values. */
export const valueWithoutEffect: LintRule = {
  name: 'value_without_effect',
  severity: 'warning',
  summary: 'Values of the run are used only in attributes that support them.',
  rationale:
    'A `${path}` is replaced with a value of the run in `prompt`, `label` and `workdir` of a node, in `tool_command`, in `params.*` and `assign.*`, and in `workdir` and `stack.child_workdir` of the graph. In any other attribute it is plain text and stays as written. Use the value in the prompt or the command. A condition names the key without the dollar sign and braces.',
  tag: 'unnecessary',
  *apply(graph, { source }) {
    for (const written of attributesWithValues(graph)) {
      const { attribute, place: location } = written;
      if (typeof attribute.value !== 'string') continue;
      if (takesValues(graph, written)) continue;
      const values = parseTemplate(attribute.value).parts.filter(({ kind }) => kind === 'value');
      const remarks = values.map(({ span }) => withoutEffect(written, span));
      for (const finding of findingsInside(attribute, remarks, source)) yield { ...finding, ...location };
    }
  },
};

const conditions: ReadonlySet<string> = new Set(['condition', ...nodeConditions]);

function takesValues(graph: Graph, { attribute, definition, owner }: WrittenAttribute): boolean {
  // An unknown attribute may be for a custom handler.
  if (definition === undefined || definition.template !== undefined) return true;
  // Its properties are checked one by one.
  if (attribute.name === 'model_stylesheet') return true;
  // In place of a key, it makes the condition unreadable, which another rule reports.
  if (conditions.has(attribute.name)) return hasErrors(parseCondition(String(attribute.value)).diagnostics);
  return owner === 'graph' && attribute.name === 'goal' && standsInPrompts(graph);
}

/** True if the goal, which is put into prompts before values are, is used in a prompt. */
function standsInPrompts(graph: Graph): boolean {
  return [...graph.nodes.values()].some(({ attributes }) =>
    ['prompt', 'label'].some((name) => attributes.get(name)?.origin === 'transform'),
  );
}

function withoutEffect({ attribute, owner }: WrittenAttribute, span: Diagnostic['span']): Diagnostic {
  const text = String(attribute.value).slice(span.start, span.end);
  const owner2 = owner === 'node' ? '' : owner === 'edge' ? ' of an edge' : ' of the graph';
  return {
    rule: 'value_without_effect',
    severity: 'warning',
    span,
    message: `"${text}" stays as written: \`${attribute.name}\`${owner2} does not support values of the run`,
    fix: { title: 'write the text itself, or use the value in a prompt or a command', edits: [] },
  };
}
