import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import type { Graph } from '../../../graph/graph.js';
import { stylesheetOf } from '../../../graph/stylesheet.js';
import type { Selector } from '../../../parser/stylesheet/ast.js';
import { findingsInside } from '../../findings-inside.js';
import { misspelt } from '../../misspelt.js';
import { nameSuggester } from '../../name-suggester.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 43d: a selector that selects nothing. */
export const stylesheetSelectorUnused: LintRule = {
  name: 'stylesheet_selector_unused',
  severity: 'info',
  summary: 'Every selector of the `model_stylesheet` matches a node.',
  rationale:
    'A rule that matches no node has no effect, and the intended stages run with another model. Classes come from the `class` of a node and from the labels of the subgraphs around it: `label="Loop A"` becomes `.loop-a`. Correct the selector, or remove the rule. A stylesheet shared by several pipelines may have rules that some of them do not need.',
  provesAbsence: true,
  tag: 'unnecessary',
  *apply(graph, { source }) {
    const attribute = graph.attributes.get('model_stylesheet');
    const rules = stylesheetOf(graph).stylesheet?.rules ?? [];
    if (attribute === undefined || rules.length === 0) return;
    const names = selectableNames(graph);
    const { nodesMeaning } = misspelt(graph);
    const isMisspelt = (kind: string): boolean => nodesMeaning(kind).size > 0;
    const unused = rules
      .map(({ selector }) => selector)
      .filter(({ kind, name }) => kind !== 'universal' && !isMisspelt(kind) && !names[kind].has(name));
    if (unused.length === 0) return;
    const suggest = {
      universal: nameSuggester([]),
      shape: nameSuggester(names.shape),
      class: nameSuggester(names.class),
      id: nameSuggester(names.id),
    };
    yield* findingsInside(
      attribute,
      unused.map((selector) => finding(selector, suggest[selector.kind](selector.name))),
      source,
    );
  },
};

function selectableNames(graph: Graph): Readonly<Record<'shape' | 'class' | 'id', ReadonlySet<string>>> {
  const shape = new Set<string>();
  const classes = new Set<string>();
  for (const node of graph.nodes.values()) {
    shape.add(nodeAttribute(node, 'shape'));
    for (const name of node.classes) classes.add(name);
  }
  return { shape, class: classes, id: new Set(graph.nodes.keys()) };
}

const signs = { universal: '', shape: '', class: '.', id: '#' } as const;
const nouns = { universal: '', shape: 'shape', class: 'class', id: 'id' } as const;

function finding({ kind, name, span }: Selector, nearest: string | undefined): Diagnostic {
  const suggestion = nearest === undefined ? '' : ` (did you mean ${excerpt(`${signs[kind]}${nearest}`)}?)`;
  return {
    rule: 'stylesheet_selector_unused',
    severity: 'info',
    message: `no node has the ${nouns[kind]} ${excerpt(name)}, so this rule changes nothing${suggestion}`,
    span,
    fix: {
      title:
        nearest === undefined
          ? 'remove the rule, or correct its selector'
          : `write \`${signs[kind]}${nearest}\``,
      edits: [],
    },
  };
}
