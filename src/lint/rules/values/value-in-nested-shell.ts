import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import type { Attribute } from '../../../graph/graph.js';
import { type NestedValue, valuesInNestedShells } from '../../../parser/template/nested-shell.js';
import { type TaintedUse, taintedUses } from '../../analysis/taint.js';
import { findingsInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';
import { attributesWithValues } from '../../written-attributes.js';

/** SEMANTICS §12 "Values at run time": the first shell cannot quote text that a second shell parses. */
export const valueInNestedShell: LintRule = {
  name: 'value_in_nested_shell',
  severity: 'warning',
  summary: 'No value of the run is part of a command for a second shell.',
  rationale:
    'In a `tool_command` a value is always plain text. But `sh -c`, `eval` and `ssh` pass their text to another shell, which executes any commands in it, including those in the value, whether it comes from a model, a person or a web page. Pass the value as an argument, `sh -c \'wc -l "$1"\' sh ${context.file}`, or as standard input.',
  followsFlow: true,
  *apply(graph, { source, handlerTypes }) {
    const isTold = toldAsTainted(taintedUses(graph, handlerTypes));
    for (const { attribute, definition, place: location } of attributesWithValues(graph)) {
      if (definition?.template !== 'shell' || typeof attribute.value !== 'string') continue;
      const remarks = valuesInNestedShells(attribute.value)
        .filter(({ span }) => !isTold(attribute, span.start))
        .map(remark);
      for (const finding of findingsInside(attribute, remarks, source)) yield { ...finding, ...location };
    }
  },
};

/** Returns true for a value that is known to come from a model or a person, which has its own finding. */
function toldAsTainted(uses: readonly TaintedUse[]): (attribute: Attribute, offset: number) => boolean {
  const offsets = new Map<Attribute, Set<number>>();
  for (const { attribute, span } of uses) {
    offsets.set(attribute, (offsets.get(attribute) ?? new Set()).add(span.start));
  }
  return (attribute, offset) => offsets.get(attribute)?.has(offset) === true;
}

function remark({ path, span, runner }: NestedValue): Diagnostic {
  return {
    rule: 'value_in_nested_shell',
    severity: 'warning',
    span,
    message: `"\${${path}}" is part of the command that \`${runner}\` passes to another shell, which executes whatever it contains`,
    fix: { title: howElse(runner, path), edits: [] },
  };
}

function howElse(runner: string, path: string): string {
  switch (runner) {
    case 'eval':
      return 'avoid `eval`, or put the value into a variable that the evaluated text refers to';
    case 'ssh':
      return 'pass the value on standard input';
    default:
      return `pass it as an argument: \`${runner} '… "$1" …' ${runner.split(' ', 1)[0]} \${${path}}\``;
  }
}
