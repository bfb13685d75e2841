import { propertyIn, writtenProperties } from '../../../graph/properties/written-properties.js';
import { findingsInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 144: the sentences of `check.<name>`. */
export const propertySyntax: LintRule = {
  name: 'property_syntax',
  severity: 'error',
  summary: 'Every property of the pipeline is a valid sentence.',
  rationale:
    'A `check.<name>` of the graph is a sentence that must hold for every run; nobody could watch over one that cannot be read. The sentences are: `never STAGES`, `at most N STAGES`, `STAGES only after STAGES`, `every run that reaches STAGES has STAGES`, `every run that completes has STAGES`, `after STAGES, no STAGES before STAGES` and `after STAGES, STAGES before the end`. STAGES is a stage, `class NAME`, `LLM stages` or `any stage`, perhaps with a result such as `= yes`, `passed` or `failed`, and others after `or`. A name that is also a word of the language goes in quotes. `docs/properties.md` explains each sentence.',
  *apply(graph, { source }) {
    for (const { attribute } of writtenProperties(graph))
      yield* findingsInside(attribute, propertyIn(attribute).diagnostics, source);
  },
};
