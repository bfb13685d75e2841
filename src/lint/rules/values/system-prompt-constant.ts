import { excerpt } from '../../../diagnostic/excerpt.js';
import { parsedTemplate } from '../../../graph/templates.js';
import { spanInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 130: the system prompt of a conversation cannot change, so it takes what does not change in a run. */
export const systemPromptConstant: LintRule = {
  name: 'system_prompt_constant',
  severity: 'error',
  summary: 'The `system_prompt` takes only values that do not change.',
  rationale:
    'The `system_prompt` of the graph is that of every LLM stage, and the stages of a thread share one conversation, whose system prompt is fixed. Therefore it takes `$goal`, `${inputs.…}` and `${graph.…}`, but no value that a stage sets: `${context.…}`, `${result.…}`, `${stages.…}` and the like are errors. Put such a value into the `prompt` of the stages that need it.',
  *apply(graph, { source }) {
    const attribute = graph.attributes.get('system_prompt');
    if (attribute === undefined) return;
    for (const part of parsedTemplate(attribute).parts) {
      if (part.kind !== 'value' || isConstant(part.path)) continue;
      yield {
        message: `${excerpt(`\${${part.path}}`)} may change during the run, but the system prompt of a conversation cannot`,
        span: spanInside(attribute, part.span, source),
        fix: { title: 'read it in the `prompt` of a stage, or take an input', edits: [] },
      };
    }
  },
};

function isConstant(path: string): boolean {
  return /^(?:inputs|graph)\./.test(path);
}
