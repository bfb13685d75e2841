import { excerpt } from '../../../diagnostic/excerpt.js';
import { type TaintedUse, type TaintSource, taintedUses } from '../../analysis/taint.js';
import { spanInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/**
 * SEMANTICS §12 "Values at run time": a value is only a text for the shell, but not for another program
 * that receives it as code.
 */
export const taintedCommand: LintRule = {
  name: 'tainted_command',
  severity: 'warning',
  summary: 'Text from a model or a person is never executed.',
  rationale:
    'In a `tool_command` a value is always plain text: `echo ${context.last_response}` is safe, whatever the model answers. But `sh -c "… ${…}"`, `eval`, `python -c`, a pipe into a shell, and a value used as the program name execute that text, and a model may repeat instructions from a web page or an issue. The rule follows the text from the stage that sets it through the commands that pass it on. Pass it as an argument, `sh -c \'wc -l "$1"\' sh ${context.file}`, or as standard input; if text must be executed, put a human gate or your own check before it.',
  provesAbsence: true,
  followsFlow: true,
  *apply(graph, { handlerTypes, source }) {
    for (const use of taintedUses(graph, handlerTypes)) {
      const from = use.source.kind === 'input' ? undefined : use.source.node;
      yield {
        message: `${shownValue(use)} ${origin(use.source)}, and ${use.runner === 'the shell' ? 'the shell runs it as a program' : `\`${use.runner}\` executes it`}`,
        span: spanInside(use.attribute, use.span, source),
        nodeId: use.node.id,
        related: from && [{ span: from.span, message: 'the text comes from here' }],
        fix: { title: howElse(use), edits: [] },
      };
    }
  },
};

function shownValue({ path }: TaintedUse): string {
  return path.startsWith('ATTRACTOR_CTX_') ? `"$${path}"` : `"\${${path}}"`;
}

function origin(source: TaintSource): string {
  switch (source.kind) {
    case 'model':
      return `comes from the model of ${excerpt(source.node.id)}`;
    case 'person':
      return `comes from the person who answers ${excerpt(source.node.id)}`;
    case 'input':
      return 'is an input of the run';
  }
}

function howElse({ runner, path }: TaintedUse): string {
  if (runner === 'the shell')
    return 'name the program in the command, and let the value choose among known programs';
  const [program = ''] = runner.split(' ', 1);
  if (/(?:^|\/)(?:ba|da|z|k|a)?sh$/.test(program) && runner.includes(' ') && !path.startsWith('ATTRACTOR')) {
    return `pass it as an argument: \`${runner} '… "$1" …' ${program} \${${path}}\``;
  }
  return 'pass it as an argument or as input, and do not let the program execute it';
}
