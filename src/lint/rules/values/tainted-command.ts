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
  summary: 'What a model or a person has written is never executed.',
  rationale:
    'In a `tool_command` a value stands for exactly its text: `echo ${context.last_response}` is safe, whatever the model answers. But `sh -c "… ${…}"`, `eval`, `python -c`, a pipe into a shell, or a value as the name of the program have its text executed, and a model repeats what a web page or an issue tells it to. The text is followed from the stage that sets it, through the commands that pass it on. Hand it over as an argument, `sh -c \'wc -l "$1"\' sh ${context.file}`, or as the input of the program; let a human gate or a check of your own stand before what must be executed.',
  provesAbsence: true,
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
      return `comes from whoever answers ${excerpt(source.node.id)}`;
    case 'input':
      return 'comes from whoever starts the run';
  }
}

function howElse({ runner, path }: TaintedUse): string {
  if (runner === 'the shell')
    return 'name the program in the command, and let the value choose among known ones';
  const [program = ''] = runner.split(' ', 1);
  if (/(?:^|\/)(?:ba|da|z|k|a)?sh$/.test(program) && runner.includes(' ') && !path.startsWith('ATTRACTOR')) {
    return `hand it over as an argument: \`${runner} '… "$1" …' ${program} \${${path}}\``;
  }
  return 'hand it over as an argument or as input, and let the program not execute it';
}
