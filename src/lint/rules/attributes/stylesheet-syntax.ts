import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import { styleProperties, stylesheetOf } from '../../../graph/stylesheet.js';
import type { Declaration } from '../../../parser/stylesheet/ast.js';
import { findingsInside } from '../../findings-inside.js';
import { nameSuggester } from '../../name-suggester.js';
import type { LintRule } from '../../rule.js';

/** §7.2 `stylesheet_syntax`, by the grammar of §8.2 (SEMANTICS 43d, 45, 46, 47b). */
export const stylesheetSyntax: LintRule = {
  name: 'stylesheet_syntax',
  severity: 'error',
  fixable: true,
  summary: 'The `model_stylesheet` is valid.',
  rationale:
    'A stylesheet that cannot be parsed is not applied at all, and every stage would silently run with the default model. A rule is a selector (`*`, a shape, `.class`, `#id`) with declarations in braces: `.code { llm_model: some-model; reasoning_effort: high; }`. A property other than `llm_model`, `llm_provider`, `llm_fallback` and `reasoning_effort` is reported as a warning, because it has no effect here.',
  *apply(graph, { source }) {
    const attribute = graph.attributes.get('model_stylesheet');
    if (attribute === undefined) return;
    const { stylesheet, diagnostics } = stylesheetOf(graph);
    const suggest = nameSuggester(styleProperties, 0.5);
    const unknown = (stylesheet?.rules ?? [])
      .flatMap(({ declarations }) => declarations)
      .filter(({ property }) => !properties.has(property))
      .map((declaration) => unknownProperty(declaration, suggest));
    yield* findingsInside(attribute, [...diagnostics, ...unknown], source);
  },
};

const properties: ReadonlySet<string> = new Set(styleProperties);

function unknownProperty(
  { property, propertySpan: span }: Declaration,
  suggest: (word: string) => string | undefined,
): Diagnostic {
  const suggestion = suggest(property);
  return {
    rule: 'stylesheet_syntax',
    code: 'unknown_property',
    severity: 'warning',
    message: `${excerpt(property)} is not a property of a stylesheet, so it changes nothing${suggestion === undefined ? '' : ` (did you mean ${excerpt(suggestion)}?)`}`,
    span,
    fix: {
      title:
        suggestion === undefined
          ? `use ${[...properties].map((name) => `\`${name}\``).join(', ')}`
          : `write \`${suggestion}\``,
      edits: [],
    },
  };
}
