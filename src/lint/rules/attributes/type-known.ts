import { excerpt } from '../../../diagnostic/excerpt.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import { attributeOwners } from '../../attribute-owners.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { nameSuggester } from '../../name-suggester.js';
import type { LintRule } from '../../rule.js';

/** §7.2 `type_known`; §4.2 and SEMANTICS 43c have the fallback of an unknown type. */
export const typeKnown: LintRule = {
  name: 'type_known',
  severity: 'warning',
  summary: 'The `type` of every node is a handler type.',
  rationale:
    'A node whose `type` has no handler is run by the handler of its shape, which makes a box an LLM stage. Correct the type. If your own program registers the handler, pass its type to the linter in that program.',
  *apply(graph, { handlerTypes }) {
    const suggest = typeSuggester(handlerTypes);
    for (const { owner: node, attribute } of distinctAttributes(
      attributeOwners(graph).nodesWith('type'),
      'type',
    )) {
      const type = String(attribute.value);
      if (type === '' || handlerTypes.has(type)) continue;
      const suggestion = suggest(type);
      const hint = suggestion === undefined ? '' : ` (did you mean ${excerpt(suggestion)}?)`;
      yield {
        message: `${excerpt(type)} is not a handler type${hint}; the node is run as \`${handlerTypeOf(graph, node, handlerTypes).type}\` instead`,
        span: attribute.valueSpan,
        nodeId: node.id,
        fix: {
          title:
            suggestion === undefined
              ? `use one of ${[...handlerTypes].map((name) => `\`${name}\``).join(', ')}`
              : `write \`${suggestion}\``,
          edits: [],
        },
      };
    }
  },
};

/**
 * Suggests a type: `wait.human` for `human.wait`, `human`, `waitHuman` and `approval`; else the nearest
 * name.
 */
function typeSuggester(types: ReadonlySet<string>): (word: string) => string | undefined {
  const nearest = nameSuggester(types);
  const byParts = new Map([...types].map((type) => [sortedParts(type), type]));
  const byPart = new Map([...types].flatMap((type) => type.split('.').map((part) => [part, type] as const)));
  return (word) => {
    const other = otherNames.get(word.toLowerCase().replaceAll(/[-. ]/g, '_'));
    if (other !== undefined && types.has(other)) return other;
    return byParts.get(sortedParts(word)) ?? byPart.get(word.toLowerCase()) ?? nearest(word);
  };
}

function sortedParts(type: string): string {
  const parts = type
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[-._ ]/);
  return parts.sort().join(' ');
}

/** Names of stage types in other tools. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ...['llm', 'agent', 'ai', 'prompt', 'model', 'code_gen', 'box'].map((name) => [name, 'codergen'] as const),
  ...['human', 'human_gate', 'human_review', 'gate', 'approval'].map((name) => [name, 'wait.human'] as const),
  ...['shell', 'bash', 'command', 'script', 'exec'].map((name) => [name, 'tool'] as const),
  ...['condition', 'decision', 'branch', 'switch', 'if'].map((name) => [name, 'conditional'] as const),
  ...['fork', 'fan_out', 'fanout'].map((name) => [name, 'parallel'] as const),
  ...['join', 'merge', 'fanin'].map((name) => [name, 'parallel.fan_in'] as const),
  ...['manager', 'supervisor'].map((name) => [name, 'stack.manager_loop'] as const),
  ...['subpipeline', 'sub_pipeline', 'child'].map((name) => [name, 'pipeline'] as const),
  ...['begin', 'entry'].map((name) => [name, 'start'] as const),
  ...['end', 'finish', 'terminal'].map((name) => [name, 'exit'] as const),
]);
