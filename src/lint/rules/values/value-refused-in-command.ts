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
  summary: 'Every value in a command is in a place where the shell uses it unchanged.',
  rationale:
    "A value reaches the shell as a variable, so nothing in it is executed. In some places a shell would read the variable differently or not at all: in a here-document with a quoted delimiter, in a delimiter, in backticks that contain backslashes, in `$'…'`, in an expansion that takes a pattern or a number, and wherever shells treat quotes differently. A stage with such a command always fails. Assign the value to a variable at the beginning of the command, and use that variable.",
  *apply(graph, { source }) {
    for (const { attribute, definition, place: location } of attributesWithValues(graph)) {
      if (definition?.template !== 'shell' || typeof attribute.value !== 'string') continue;
      const { parts } = parsedShellTemplate(attribute);
      const refused = parts.flatMap((part) => (part.kind === 'refused' ? [refusal(part)] : []));
      for (const finding of findingsInside(attribute, refused, source)) yield { ...finding, ...location };
    }
  },
};

function refusal({ path, span, place: position }: Extract<ShellPart, { kind: 'refused' }>): Diagnostic {
  const [where = '', how = ''] = describeRefusedPlace(position).split('; ');
  return {
    rule: 'value_refused_in_command',
    severity: 'error',
    span,
    message: `"\${${path}}" is not allowed ${where}; the stage always fails`,
    fix: { title: how, edits: [] },
  };
}
