import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import { describeRefusedPlace, parsedShellTemplate } from '../../../graph/templates.js';
import type { ShellPart } from '../../../parser/template/ast.js';
import { findingsInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';
import { attributesWithValues } from '../../written-attributes.js';

/**
 * SEMANTICS §12 "Values at run time": a value is allowed only where the shell takes it for exactly its
 * text.
 */
export const valueRefusedInCommand: LintRule = {
  name: 'value_refused_in_command',
  severity: 'error',
  summary: 'Every value in a command stands where the shell can take it as it is.',
  rationale:
    "A value reaches the shell as a variable, so that nothing in it is executed. In some places a shell would read it otherwise, or not at all: in a here-document whose delimiter is quoted, in a delimiter, within backticks that have backslashes, within `$'…'`, in an expansion that takes a pattern or a number, and wherever shells disagree on the quotes. A stage with such a command fails whenever it runs. Put the value into a variable at the beginning of the command, and use that variable.",
  *apply(graph, { source }) {
    for (const { attribute, definition, place } of attributesWithValues(graph)) {
      if (definition?.template !== 'shell' || typeof attribute.value !== 'string') continue;
      const { parts } = parsedShellTemplate(attribute);
      const refused = parts.flatMap((part) => (part.kind === 'refused' ? [refusal(part)] : []));
      for (const finding of findingsInside(attribute, refused, source)) yield { ...finding, ...place };
    }
  },
};

function refusal({ path, span, place }: Extract<ShellPart, { kind: 'refused' }>): Diagnostic {
  const [where = '', how = ''] = describeRefusedPlace(place).split('; ');
  return {
    rule: 'value_refused_in_command',
    severity: 'error',
    span,
    message: `"\${${path}}" cannot stand ${where}; the stage fails whenever it runs`,
    fix: { title: how, edits: [] },
  };
}
