import type { Span } from '../../diagnostic/source.js';
import { attributeDefinition } from '../../graph/attributes.js';
import { keysOf } from '../../graph/evaluate-condition.js';
import type { Attribute, Graph, Node } from '../../graph/graph.js';
import { perObject } from '../../graph/per-object.js';
import { conditionOf, nodeConditionOf, nodeConditions, outgoingEdges } from '../../graph/queries.js';
import { parsedShellTemplate, parsedTemplate } from '../../graph/templates.js';
import { contextKey, listedKeys } from '../../graph/values/key-lists.js';
import type { Condition, KeyOperand } from '../../parser/condition/ast.js';
import { clausesOf } from '../../parser/condition/clauses-of.js';
import type { Clause } from '../../parser/condition/print.js';
import { attributeOwners } from '../attribute-owners.js';
import { attributesWithValues } from '../written-attributes.js';

/** Read of a value of the run, by a stage or by an edge after it. */
export interface ContextRead {
  /** Path as it is written. */
  readonly path: string;
  /** Key of the context, without `context.`. */
  readonly key: string;
  readonly by: 'reads' | 'template' | 'condition';
  readonly node: Node;
  readonly attribute: Attribute;
  /** Span within the text of the value. */
  readonly span: Span;
  /** Edge of a condition, which sees the values that the stage before it has just set (SEMANTICS 44i). */
  readonly edge: readonly [from: string, to: string] | undefined;
  /** Clause of a condition that reads the value. */
  readonly clause: Clause | undefined;
}

/** All reads of the context in a graph (SEMANTICS §12): its `reads`, its templates and its conditions. */
export const contextReads = perObject((graph: Graph): readonly ContextRead[] => {
  const withValues = new Set(attributesWithValues(graph).map(({ attribute }) => attribute));
  const reads: ContextRead[] = [];
  const mayRead = withValues.size > 0 ? undefined : withoutValues(graph);
  for (const node of graph.nodes.values()) {
    if (mayRead === undefined || mayRead.has(node.id)) addReads(reads, graph, node, withValues);
  }
  return reads;
});

/** Values in the texts of the graph itself, such as its system prompt. */
export function graphReads(
  graph: Graph,
): readonly Pick<ContextRead, 'path' | 'key' | 'attribute' | 'span'>[] {
  const ofGraph = attributesWithValues(graph).filter(({ owner, definition }) => {
    return owner === 'graph' && definition?.template !== undefined;
  });
  return ofGraph.flatMap(({ attribute }) =>
    parsedTemplate(attribute).parts.flatMap((part) =>
      part.kind === 'value'
        ? [{ path: part.path, key: contextKey(part.path), attribute, span: part.span }]
        : [],
    ),
  );
}

/** Nodes that read something other than by a value in a text. */
function withoutValues(graph: Graph): ReadonlySet<string> {
  const { nodesWith, edgesWith } = attributeOwners(graph);
  const nodes = ['reads', ...nodeConditions].flatMap(nodesWith);
  return new Set([...nodes.map(({ id }) => id), ...edgesWith('condition').map(({ from }) => from)]);
}

function addReads(reads: ContextRead[], graph: Graph, node: Node, withValues: ReadonlySet<Attribute>): void {
  const add = (
    by: ContextRead['by'],
    attribute: Attribute,
    path: string,
    span: Span,
    edge?: ContextRead['edge'],
    clause?: Clause,
  ) => reads.push({ path, key: contextKey(path), by, node, attribute, span, edge, clause });
  for (const attribute of node.attributes.values()) {
    if (attribute.name === 'reads') {
      for (const { key, span } of listedKeys(attribute)) add('reads', attribute, key, span);
    } else if (withValues.has(attribute)) {
      for (const { path, span } of valuesIn(attribute)) add('template', attribute, path, span);
    }
  }
  for (const name of nodeConditions) {
    const attribute = node.attributes.get(name);
    if (attribute === undefined) continue;
    for (const { key, clause } of keysIn(nodeConditionOf(node, name).condition)) {
      add('condition', attribute, key.path, key.span, [node.id, node.id], clause);
    }
  }
  for (const edge of outgoingEdges(graph, node.id)) {
    const attribute = edge.attributes.get('condition');
    if (attribute === undefined) continue;
    for (const { key, clause } of keysIn(conditionOf(edge).condition)) {
      add('condition', attribute, key.path, key.span, [edge.from, edge.to], clause);
    }
  }
}

function valuesIn(attribute: Attribute): readonly { readonly path: string; readonly span: Span }[] {
  const { template } = attributeDefinition('node', attribute.name) ?? {};
  if (template === undefined) return [];
  const { parts } = template === 'shell' ? parsedShellTemplate(attribute) : parsedTemplate(attribute);
  return [...parts].flatMap((part) => (part.kind === 'value' || part.kind === 'refused' ? [part] : []));
}

interface KeyOfClause {
  readonly key: KeyOperand;
  readonly clause: Clause;
}

/** Keys of a condition, without `outcome` and `preferred_label`, which are always set. */
function keysIn(condition: Condition | undefined): readonly KeyOfClause[] {
  return condition === undefined ? [] : keysOfCondition(condition);
}

const keysOfCondition = perObject((condition: Condition): readonly KeyOfClause[] => {
  const keys = clausesOf(condition).flatMap((clause) => keysOf(clause).map((key) => ({ key, clause })));
  return keys.filter(({ key: { path } }) => path !== 'outcome' && path !== 'preferred_label');
});
