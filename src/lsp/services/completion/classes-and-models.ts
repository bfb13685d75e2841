import { perObject } from '../../../graph/per-object.js';
import { stylesheetOf } from '../../../graph/stylesheet.js';
import { mentionsIn } from '../text/mentions.js';
import type { PipelineText } from '../text/pipeline-text.js';
import type { CompletionFacts } from './completion-facts.js';
import type { Suggestion } from './suggestion.js';

/** Classes of nodes and of the stylesheet. */
export const classesOf = perObject((pipeline: PipelineText): readonly Suggestion[] => {
  const names = mentionsIn(pipeline).flatMap(({ thing }) => (thing.kind === 'class' ? [thing.name] : []));
  return [...new Set(names)].map((label) => ({ label, kind: 'class' }));
});

/** Models that the pipeline names, then those that are known otherwise. */
export function modelsOf({ graph }: PipelineText, { models = [] }: CompletionFacts): readonly Suggestion[] {
  const owners = [graph, ...graph.nodes.values()];
  const written = owners.flatMap(({ attributes }) => String(attributes.get('llm_model')?.value ?? '') || []);
  const styled = (stylesheetOf(graph).stylesheet?.rules ?? []).flatMap(({ declarations }) =>
    declarations.flatMap(({ property, value }) => (property === 'llm_model' ? [value] : [])),
  );
  const own = [...new Set([...written, ...styled])];
  return [
    ...own.map(
      (label): Suggestion => models.find((model) => model.label === label) ?? { label, kind: 'model' },
    ),
    ...models.filter(({ label }) => !own.includes(label)),
  ];
}
