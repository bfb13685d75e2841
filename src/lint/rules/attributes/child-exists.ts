import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Attribute } from '../../../graph/graph.js';
import { type ChildStage, childStages, mayBeWritten } from '../../child-stages.js';
import { valueSpanOf } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/**
 * §9.4, SEMANTICS 113: the file that a stage runs as a pipeline exists, or a stage before it can write it.
 */
export const childExists: LintRule = {
  name: 'child_exists',
  severity: 'error',
  summary: 'The pipeline that a stage runs is a file that exists.',
  rationale:
    'A stage that runs another pipeline fails if the file does not exist or cannot be read. `child` and `stack.child_dotfile` are relative to the file that contains them. If every path to the stage passes a tool, an LLM stage or a plugin stage, which could write the file, the finding is only a warning. Correct the name, or create the file.',
  needsFiles: true,
  followsFlow: true,
  *apply(graph, context) {
    const seen = new Set<Attribute>();
    for (const stage of childStages(graph, context)) {
      const { node, attribute, child } = stage;
      if (child.kind === 'compiled' || seen.has(attribute)) continue;
      seen.add(attribute);
      const isWritten = mayBeWritten(graph, node, context);
      yield {
        severity: isWritten ? 'warning' : 'error',
        message: messageOf(stage, isWritten),
        span: valueSpanOf(attribute, context.source),
        nodeId: node.id,
        fix: { title: 'correct the name; it is relative to the directory of this file', edits: [] },
      };
    }
  },
};

function messageOf({ node, file, child }: ChildStage, isWritten: boolean): string {
  const subject = `the pipeline of ${excerpt(node.id)}, ${excerpt(file)},`;
  if (child.kind === 'unusable') return `${subject} cannot be read: ${child.problem}`;
  const nearest = child.kind === 'missing' ? child.near : undefined;
  const hint = nearest === undefined ? '' : ` (did you mean ${excerpt(nearest)}?)`;
  return isWritten
    ? `${subject} does not exist yet: an earlier stage must write it${hint}`
    : `${subject} does not exist, and no earlier stage could write it${hint}`;
}
