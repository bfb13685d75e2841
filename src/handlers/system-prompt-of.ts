import { graphTemplate } from '../graph/templates.js';
import type { Stage } from './handler.js';
import { renderForStage } from './stage-values.js';
import { withoutSecrets } from './without-secrets.js';

/**
 * System prompt of the author for the LLM stages of a run, with its values (SEMANTICS 130): the same for all of them, so that
 * it holds for a whole conversation. Undefined if there is none.
 * @throws StageCrash under strict values, if one is missing
 */
export function systemPromptOf(stage: Stage): string | undefined {
  const template = graphTemplate(stage.graph, 'system_prompt');
  if (template.text.trim() === '') return undefined;
  return withoutSecrets(stage, renderForStage(stage, template));
}
