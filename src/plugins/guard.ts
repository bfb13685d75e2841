import type { Graph } from '../graph/graph.js';
import type { Finding, LintRule } from '../lint/rule.js';
import { RunError } from '../run-directory/run-error.js';
import type { TransformLike } from '../transforms/index.js';
import type { Transform } from '../transforms/transform.js';
import { describeFailure } from './describe-failure.js';

/**
 * Wraps a plugin's transform, so that its mistakes are reported to its author instead of surfacing later
 * (§9.3).
 */
export function guardTransform(transform: TransformLike, plugin: string, index: number): Transform {
  const name = transform.name ?? `transforms[${index}]`;
  const what = `the transform "${name}" of the plugin "${plugin}"`;
  return {
    name,
    apply(graph) {
      const result = attempt(what, () =>
        'apply' in transform ? transform.apply(graph) : transform.transform(graph),
      );
      const problem = problemOf(result);
      if (problem !== undefined) throw new RunError('usage', `${what} returned no graph: ${problem}`);
      return result;
    },
  };
}

function problemOf(graph: Partial<Graph> | undefined): string | undefined {
  if (typeof graph !== 'object' || graph === null) return `expected an object, found ${String(graph)}`;
  if ('then' in graph) return 'expected the graph itself, found a promise of one';
  if (!(graph.nodes instanceof Map)) return '"nodes" is not a Map of nodes by id';
  if (!(graph.attributes instanceof Map)) return '"attributes" is not a Map of attributes by name';
  if (!Array.isArray(graph.edges)) return '"edges" is not a list';
  if (!Array.isArray(graph.subgraphs)) return '"subgraphs" is not a list';
  for (const [id, node] of graph.nodes) {
    if (node?.id !== id) return `the node under "${id}" has the id "${String(node?.id)}"`;
    if (!(node.attributes instanceof Map)) return `the attributes of the node "${id}" are not a Map`;
    if (!Array.isArray(node.classes)) return `the classes of the node "${id}" are not a list`;
  }
  return edgeProblem(graph.edges);
}

function edgeProblem(edges: readonly Graph['edges'][number][]): string | undefined {
  for (const [index, edge] of edges.entries()) {
    if (edge?.index !== index) return `edges[${index}] has the index ${String(edge?.index)}`;
    if (!(edge.attributes instanceof Map)) return `the attributes of edges[${index}] are not a Map`;
  }
  return undefined;
}

/** Wraps a plugin's lint rule likewise (§7.4). */
export function guardRule(rule: LintRule, plugin: string): LintRule {
  const { name, severity, summary, rationale, fixable, provesAbsence } = rule;
  const what = `the lint rule "${name}" of the plugin "${plugin}"`;
  return {
    name,
    severity,
    summary,
    rationale,
    fixable,
    provesAbsence,
    apply(graph, context) {
      const findings = attempt(what, () => {
        const found: Iterable<Finding> | undefined = rule.apply(graph, context);
        return found === undefined ? undefined : [...found];
      });
      if (findings === undefined)
        throw new RunError('usage', `${what} returned nothing; expected a list of findings`);
      for (const finding of findings) checkFinding(what, finding);
      return findings;
    },
  };
}

function checkFinding(what: string, finding: Finding): void {
  const { message, span } = finding ?? {};
  const isPlaced = Number.isInteger(span?.start) && Number.isInteger(span?.end);
  if (typeof message === 'string' && isPlaced) return;
  const missing =
    typeof message === 'string' ? '"span" ({ start, end }), such as that of a node' : '"message"';
  throw new RunError('usage', `${what} returned a finding without ${missing}`);
}

function attempt<Result>(what: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw new RunError('usage', `${what} failed: ${describeFailure(error)}`, { cause: error });
  }
}
