import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Span } from '../../../diagnostic/source.js';
import { nodeAttribute } from '../../../graph/attributes.js';
import type { Attribute, Edge, Graph, Node } from '../../../graph/graph.js';
import type { KnownHandlerTypes } from '../../../graph/known-handler-types.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import { type MaskedFailure, maskedFailure } from '../../analysis/masked-failure.js';
import { failureRoutes } from '../../conditions/routes-of.js';
import { stageEdges } from '../../conditions/stage-edges.js';
import { findingsInside } from '../../findings-inside.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 20, §4.10: a route for a failure that the command can never report. */
export const checkCannotFail: LintRule = {
  name: 'check_cannot_fail',
  severity: 'warning',
  fixable: true,
  summary: 'A command whose failure has a route can fail.',
  rationale:
    'Whether a tool fails depends on its exit code, which `sh` takes from the last command: after `|| true`, `; echo done`, `; exit 0` or `| tee log` it is 0 whatever the tests returned, so the edge, `retry_target` or goal gate for the failure is never used. Keep the exit code of the check: remove `|| true`, or write `npm test; code=$?; echo done; exit $code`. Instead of a pipe write `npm test >test.log 2>&1; code=$?; cat test.log; exit $code`, which works in every `sh`; `set -o pipefail` does not work in dash, the `sh` of Debian and Ubuntu. A command whose output is tested by `tool.output` or `tool.last_line` in a condition is not reported.',
  *apply(graph, { handlerTypes, source }) {
    const seen = new Set<Attribute>();
    for (const node of graph.nodes.values()) {
      const attribute = node.attributes.get('tool_command');
      if (attribute === undefined || seen.has(attribute)) continue;
      if (handlerTypeOf(graph, node, handlerTypes).type !== 'tool') continue;
      const masked = maskedFailure(String(attribute.value));
      const route = masked && failureRoute(graph, node, handlerTypes);
      if (masked === undefined || route === undefined) continue;
      seen.add(attribute);
      const result = { ...remark(node, attribute, masked, route), rule: 'check_cannot_fail' };
      for (const finding of findingsInside(attribute, [{ ...result, severity: 'warning' }], source)) {
        const related = route.span && [{ span: route.span, message: 'handles its failure' }];
        yield { ...finding, nodeId: node.id, related };
      }
    }
  },
};

interface FailureRoute {
  readonly name: string;
  readonly span?: Span;
}

/** Route that expects the failure of a tool; undefined if there is none, or if its output decides as well. */
function failureRoute(graph: Graph, node: Node, handlerTypes: KnownHandlerTypes): FailureRoute | undefined {
  if (readsOutput(graph, node.id, handlerTypes)) return undefined;
  for (const route of failureRoutes(graph, node.id, handlerTypes)) {
    if (route.kind === 'jump') return { name: `\`${route.target.attribute}=${route.target.nodeId}\`` };
    if (route.kind !== 'condition' && route.kind !== 'failure_to_conditional') continue;
    const [routing, edge] = [route.kind === 'condition' ? node.id : route.edge.to, route.edge];
    if (readsOutput(graph, routing, handlerTypes)) return undefined;
    if (asksForOutcome(graph, routing, handlerTypes)) return routeAlong(route.kind, edge);
  }
  if (!nodeAttribute(node, 'goal_gate')) return undefined;
  return { name: 'the goal gate', span: node.attributes.get('goal_gate')?.valueSpan };
}

function routeAlong(kind: 'condition' | 'failure_to_conditional', edge: Edge): FailureRoute {
  const name = kind === 'condition' ? `the edge to ${excerpt(edge.to)}` : `the diamond ${excerpt(edge.to)}`;
  return { name, span: edge.span };
}

function readsOutput(graph: Graph, nodeId: string, handlerTypes: KnownHandlerTypes): boolean {
  const stage = stageEdges(graph, handlerTypes).get(nodeId);
  return stage?.conditional.some(({ conditionText }) => /\btool\./.test(conditionText)) === true;
}

function asksForOutcome(graph: Graph, nodeId: string, handlerTypes: KnownHandlerTypes): boolean {
  const conditions = stageEdges(graph, handlerTypes).get(nodeId)?.conditions;
  return conditions !== undefined && conditions.mentionedOutcomes.length > 0;
}

function remark(
  node: Node,
  attribute: Attribute,
  masked: MaskedFailure,
  route: FailureRoute,
): Omit<Finding, 'nodeId'> {
  const text = String(attribute.value);
  const check = excerptOf(text, masked.check);
  return {
    message: `the command of ${excerpt(node.id)} never fails: \`${maskIn(text, masked)}\` hides the exit code of \`${check}\`, so ${route.name} handles a failure that cannot happen`,
    span: masked.mask,
    fix: fixOf(text, masked),
  };
}

/** Part of the command that hides the exit code, in one line. */
function maskIn(text: string, { by, mask, deciding }: MaskedFailure): string {
  const operator = by === 'pipe' ? '| ' : by === 'alternative' ? '|| ' : '; ';
  if (by === 'alternative' && text.slice(mask.start, deciding.start).trim() !== '||') {
    return shorten(text.slice(mask.start, mask.end));
  }
  return `${operator}${excerptOf(text, deciding)}`;
}

function excerptOf(text: string, { start, end }: Span): string {
  return shorten(text.slice(start, end));
}

const mostShown = 40;

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > mostShown ? `${line.slice(0, mostShown - 1)}…` : line;
}

function fixOf(text: string, masked: MaskedFailure): NonNullable<Finding['fix']> {
  const { mask, check, deciding, by, isAlone } = masked;
  const isAtEnd = text.slice(mask.end).trim().replace(/;$/, '') === '';
  const isSilent = /^(?:true|:|exit 0)$/.test(text.slice(deciding.start, deciding.end));
  const excerpt2 = excerptOf(text, check);
  const last = excerptOf(text, deciding);
  // It was written on purpose, and the run takes another route without it.
  if (isSilent && isAlone && isAtEnd && by !== 'pipe') {
    return { title: `remove \`${maskIn(text, masked)}\``, edits: [{ span: mask, text: '' }], unsafe: true };
  }
  switch (by) {
    case 'pipe':
      return {
        title: `keep the exit code without a pipe: \`${withoutPipe(excerpt2, deciding)}\` (\`sh\` may not support \`pipefail\`)`,
        edits: [],
      };
    case 'alternative':
      return isSilent
        ? { title: `end without \`|| ${last}\``, edits: [] }
        : { title: `end with \`|| { ${last}; exit 1; }\``, edits: [] };
    case 'following':
      return { title: `keep the exit code: \`${excerpt2}; code=$?; ${last}; exit $code\``, edits: [] };
  }
}

/** Check whose output goes to a file, which the filter then reads instead of the pipe. */
function withoutPipe(check: string, { words: [name, ...rest] }: MaskedFailure['deciding']): string {
  const [only, ...others] = rest;
  const file = name === 'tee' && others.length === 0 && only?.startsWith('-') === false ? only : 'out.log';
  const filter = name === 'tee' ? 'cat' : [name, ...rest].join(' ');
  const toFile = check.endsWith(' 2>&1') ? `${check.slice(0, -5)} >${file} 2>&1` : `${check} >${file}`;
  return `${toFile}; code=$?; ${filter} ${file}; exit $code`;
}
