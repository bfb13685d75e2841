import { excerpt } from '../../../diagnostic/excerpt.js';
import { fidelityModes } from '../../../graph/attribute-tables/attribute-definition.js';
import type { Attribute, Graph } from '../../../graph/graph.js';
import { attributeOwners } from '../../attribute-owners.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { nameSuggester } from '../../name-suggester.js';
import type { Finding, LintRule } from '../../rule.js';

const modes: ReadonlySet<string> = new Set(fidelityModes);
/** Graph attributes of fidelity, by their deprecated names (SEMANTICS 68a). */
const currentNames: ReadonlyMap<string, string> = new Map([
  ['context_fidelity_default', 'default_fidelity'],
  ['context_thread_default', 'default_thread_id'],
]);

/** §7.2 `fidelity_valid`, on nodes, edges and the graph (SEMANTICS 43a); the deprecated spellings are SEMANTICS 68a. */
export const fidelityValid: LintRule = {
  name: 'fidelity_valid',
  severity: 'warning',
  fixable: true,
  summary: 'Every fidelity is one of the six modes.',
  rationale:
    'An unknown fidelity mode counts as unset. The next setting in the order edge, node, graph then applies, and the stage gets more or less history than intended.',
  *apply(graph) {
    const suggest = nameSuggester(fidelityModes);
    for (const { owner, attribute } of distinctAttributes(
      attributeOwners(graph).nodesWith('fidelity'),
      'fidelity',
    )) {
      if (!isMode(attribute)) yield { ...unknownMode(attribute, suggest), nodeId: owner.id };
    }
    for (const { owner, attribute } of distinctAttributes(
      attributeOwners(graph).edgesWith('fidelity'),
      'fidelity',
    )) {
      if (!isMode(attribute)) yield { ...unknownMode(attribute, suggest), edge: [owner.from, owner.to] };
    }
    for (const name of ['default_fidelity', 'context_fidelity_default']) {
      const attribute = graph.attributes.get(name);
      if (attribute !== undefined && !isMode(attribute)) yield unknownMode(attribute, suggest);
    }
    yield* deprecated(graph);
  },
};

/** True for a known mode, or an empty value, which counts as unset. */
function isMode(attribute: Attribute): boolean {
  return attribute.value === '' || modes.has(String(attribute.value));
}

function unknownMode(attribute: Attribute, suggest: (word: string) => string | undefined): Finding {
  const suggestion = suggest(String(attribute.value));
  const allowed = fidelityModes.map((mode) => `\`${mode}\``).join(', ');
  return {
    message: `${excerpt(String(attribute.value))} is not a fidelity mode; it must be one of ${allowed}`,
    span: attribute.valueSpan,
    fix: suggestion === undefined ? undefined : { title: `write \`${suggestion}\``, edits: [] },
  };
}

function* deprecated(graph: Graph): Iterable<Finding> {
  for (const [deprecatedName, currentName] of currentNames) {
    const attribute = graph.attributes.get(deprecatedName);
    if (attribute === undefined) continue;
    const hasBoth = graph.attributes.has(currentName);
    yield {
      code: 'deprecated_name',
      message: `\`${deprecatedName}\` is a deprecated name of \`${currentName}\``,
      span: attribute.keySpan,
      fix: hasBoth
        ? { title: `remove it: \`${currentName}\` is set too`, edits: [] }
        : { title: `write \`${currentName}\``, edits: [{ span: attribute.keySpan, text: currentName }] },
    };
  }
}
