import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Attribute, Graph } from '../../../graph/graph.js';
import { exitNodes } from '../../../graph/queries.js';
import { attributeOwners } from '../../attribute-owners.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { nameSuggester } from '../../name-suggester.js';
import type { Finding, LintRule } from '../../rule.js';

const targetNames = ['retry_target', 'fallback_retry_target'] as const;

/**
 * §7.2 `retry_target_exists`, on nodes and on the graph (SEMANTICS 43a); SEMANTICS 20c has the targets that
 * are skipped.
 */
export const retryTargetExists: LintRule = {
  name: 'retry_target_exists',
  severity: 'warning',
  summary: 'Every retry target is a node that the run can go back to.',
  rationale:
    'A retry target that does not exist or is the exit is skipped: the failure tries the next target, and without one ends the run. Name the stage that should run again.',
  provesAbsence: true,
  *apply(graph) {
    const problem = problemFinder(graph);
    for (const name of targetNames) {
      const ofGraph = graph.attributes.get(name);
      const finding = ofGraph && problem(ofGraph);
      if (finding !== undefined) yield finding;
      for (const { owner: node, attribute } of distinctAttributes(
        attributeOwners(graph).nodesWith(name),
        name,
      )) {
        const result = problem(attribute);
        if (result !== undefined) yield { ...result, nodeId: node.id };
      }
    }
  },
};

function problemFinder(graph: Graph): (attribute: Attribute) => Finding | undefined {
  const suggest = nameSuggester(graph.nodes.keys());
  const exits = new Set(exitNodes(graph).map((node) => node.id));
  return (attribute) => {
    const target = String(attribute.value);
    if (target === '') return undefined;
    if (!graph.nodes.has(target)) return missingTarget(attribute, target, suggest(target));
    return exits.has(target) ? exitAsTarget(attribute, target) : undefined;
  };
}

function missingTarget(attribute: Attribute, target: string, suggestion: string | undefined): Finding {
  const hint = suggestion === undefined ? '' : ` (did you mean ${excerpt(suggestion)}?)`;
  return {
    message: `\`${attribute.name}\` is ${excerpt(target)}, which is not a node${hint}; it is skipped`,
    span: attribute.valueSpan,
    fix: {
      title: suggestion === undefined ? 'name a node, or remove it' : `write \`${suggestion}\``,
      edits: [],
    },
  };
}

function exitAsTarget(attribute: Attribute, target: string): Finding {
  return {
    code: 'exit_as_target',
    message: `\`${attribute.name}\` is the exit node ${excerpt(target)}, which cannot run again; it is skipped`,
    span: attribute.valueSpan,
    fix: { title: 'name the stage that should run again', edits: [] },
  };
}
