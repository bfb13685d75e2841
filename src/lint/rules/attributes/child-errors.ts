import { counted } from '../../../diagnostic/counted.js';
import type { Diagnostic, RelatedLocation } from '../../../diagnostic/diagnostic.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Attribute } from '../../../graph/graph.js';
import { childStages, mayBeRewritten } from '../../child-stages.js';
import { valueSpanOf } from '../../findings-inside.js';
import type { CompiledChild } from '../../named-files.js';
import type { LintRule } from '../../rule.js';

/** Maximum of errors of a child that its parent shows. */
const mostShown = 10;

/** §7.1, §9.4, SEMANTICS 113: a pipeline that a stage runs has no errors. */
export const childErrors: LintRule = {
  name: 'child_errors',
  severity: 'error',
  summary: 'The pipeline that a stage runs has no errors.',
  rationale:
    'A pipeline with an error does not run, so a stage that runs it fails. Children are checked together with their parents, and so are the children of children. If the text of another stage names the file, as in `Write build.dot`, that stage may rewrite it, and the finding is only a warning. Correct the errors in the file of the child.',
  needsFiles: true,
  followsFlow: true,
  *apply(graph, context) {
    const seen = new Set<Attribute>();
    for (const stage of childStages(graph, context)) {
      const { node, attribute, file, child } = stage;
      if (child.kind !== 'compiled' || seen.has(attribute)) continue;
      seen.add(attribute);
      const errors = errorsOf(child);
      if (errors.length === 0) continue;
      yield {
        severity: mayBeRewritten(graph, stage, context) ? 'warning' : 'error',
        message: `the pipeline of ${excerpt(node.id)}, ${excerpt(file)}, has ${counted(errors.length, 'error')}`,
        span: valueSpanOf(attribute, context.source),
        nodeId: node.id,
        related: errors.slice(0, mostShown).flatMap((error) => placesOf(error, child)),
        fix: { title: `correct ${errors.length === 1 ? 'it' : 'them'} in ${excerpt(file)}`, edits: [] },
      };
    }
  },
};

function errorsOf({ diagnostics = [] }: CompiledChild): readonly Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === 'error');
}

/** An error of a child; instead of one that only points at a child of the child, the errors there. */
function placesOf(error: Diagnostic, { source }: CompiledChild): readonly RelatedLocation[] {
  const { rule, message, span, related = [] } = error;
  if (rule === childErrors.name) return related;
  return [{ span, message: `${message} [${rule}]`, source }];
}
