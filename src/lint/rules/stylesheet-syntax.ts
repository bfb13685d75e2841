import { parseStylesheet } from '../../parser/stylesheet/parse.js';
import { findingsInside } from '../findings-inside.js';
import type { LintRule } from '../rule.js';

/** §7.2 `stylesheet_syntax`, by the grammar of §8.2 (SEMANTICS 43d, 45, 46). */
export const stylesheetSyntax: LintRule = {
  name: 'stylesheet_syntax',
  severity: 'error',
  summary: 'The `model_stylesheet` can be read.',
  rationale:
    'A stylesheet that cannot be read is not applied at all, and every stage would silently run on the default model. A rule is a selector (`*`, a shape, `.class`, `#id`) and declarations in braces: `.code { llm_model: some-model; reasoning_effort: high; }`.',
  *apply(graph, { source }) {
    const attribute = graph.attributes.get('model_stylesheet');
    if (attribute === undefined) return;
    yield* findingsInside(attribute, parseStylesheet(String(attribute.value)).diagnostics, source);
  },
};
