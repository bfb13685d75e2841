import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type {
  AttributeNode,
  DotDocument,
  EdgeStatement,
  Identifier,
  NodeStatement,
  Statement,
  SubgraphStatement,
} from '../parser/dot/ast.js';
import type { AttributeOwner } from './attributes.js';
import { classesOf, deriveClass } from './classes.js';
import {
  type Attribute,
  type AttributeMap,
  attributeText,
  type Edge,
  type Graph,
  type Node,
  type Subgraph,
} from './graph.js';
import { lowerAttributes } from './lower-attributes.js';

export interface LoweringResult {
  readonly graph: Graph;
  /** Findings of the rules `attribute_type`, `duplicate_attribute`, `node_redeclared` and the like. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Turns a syntax tree into a graph: chains expanded (§2.9), defaults applied by scope (§2.10, §2.11), subgraphs
 * flattened, classes derived (§2.12), re-declarations merged (SEMANTICS 17b), values typed (SEMANTICS 3).
 */
export function lower(document: DotDocument): LoweringResult {
  const lowering = new Lowering(document.comments);
  const name = document.graph?.name ?? { name: '', span: { start: 0, end: 0 } };
  lowering.statements(document.graph?.statements ?? [], {
    nodeDefaults: new Map(),
    edgeDefaults: new Map(),
  });
  return { graph: lowering.graph(name), diagnostics: lowering.diagnostics };
}

/** Defaults of a scope; copied on entry to a subgraph, so that nothing leaks out (SEMANTICS 17c). */
interface Scope {
  nodeDefaults: AttributeMap;
  edgeDefaults: AttributeMap;
  readonly subgraph?: SubgraphDraft;
}

interface SubgraphDraft {
  readonly index: number;
  readonly parent?: number;
  readonly name?: string;
  readonly attributes: Map<string, Attribute>;
  readonly nodeIds: string[];
  readonly span: Subgraph['span'];
}

/** Draft of an id. It is a node once it is declared, or mentioned both as a source and as a target. */
interface NodeDraft {
  readonly id: string;
  readonly span: Node['span'];
  /** Defaults that apply if it is never declared. */
  readonly defaults: AttributeMap;
  /** Attributes of its declarations, the defaults at the first of them included. */
  declared: Map<string, Attribute> | undefined;
  isSource: boolean;
  isTarget: boolean;
  readonly subgraphs: number[];
  /** Subgraph of its first mention, for an id that is never declared. */
  readonly mentionedIn?: number;
}

class Lowering {
  readonly diagnostics: Diagnostic[] = [];
  readonly comments: DotDocument['comments'];
  readonly #attributes = new Map<string, Attribute>();
  readonly #nodes = new Map<string, NodeDraft>();
  readonly #edges: Edge[] = [];
  readonly #subgraphs: SubgraphDraft[] = [];

  constructor(comments: DotDocument['comments']) {
    this.comments = comments;
  }

  statements(statements: readonly Statement[], scope: Scope): void {
    for (const statement of statements) this.#statement(statement, scope);
  }

  #statement(statement: Statement, scope: Scope): void {
    switch (statement.kind) {
      case 'graph_attributes':
        this.#graphAttributes(statement.attributes, scope);
        return;
      case 'attribute':
        this.#graphAttributes([statement.attribute], scope);
        return;
      case 'node_defaults':
        scope.nodeDefaults = this.#merge(scope.nodeDefaults, 'node', statement.attributes, 'default');
        return;
      case 'edge_defaults':
        scope.edgeDefaults = this.#merge(scope.edgeDefaults, 'edge', statement.attributes, 'default');
        return;
      case 'subgraph':
        this.#subgraph(statement, scope);
        return;
      case 'node':
        this.#node(statement, scope);
        return;
      case 'edge':
        this.#edge(statement, scope);
        return;
    }
  }

  #graphAttributes(attributes: readonly AttributeNode[], scope: Scope): void {
    if (scope.subgraph === undefined) {
      for (const attribute of this.#lower('graph', attributes, 'explicit')) {
        this.#attributes.set(attribute.name, attribute);
      }
      return;
    }
    for (const attribute of this.#lower('subgraph', attributes, 'explicit')) {
      scope.subgraph.attributes.set(attribute.name, attribute);
    }
  }

  #subgraph(statement: SubgraphStatement, outer: Scope): void {
    const draft: SubgraphDraft = {
      index: this.#subgraphs.length,
      parent: outer.subgraph?.index,
      name: statement.name?.name,
      attributes: new Map(),
      nodeIds: [],
      span: statement.span,
    };
    this.#subgraphs.push(draft);
    this.statements(statement.statements, { ...outer, subgraph: draft });
  }

  #node(statement: NodeStatement, scope: Scope): void {
    const draft = this.#mention(statement.id, scope);
    const explicit = this.#lower('node', statement.attributes, 'explicit');
    if (draft.declared === undefined) draft.declared = new Map(scope.nodeDefaults);
    else this.#reportRedeclaration(draft.id, draft.declared, explicit);
    for (const attribute of explicit) draft.declared.set(attribute.name, attribute);
    if (scope.subgraph !== undefined && !draft.subgraphs.includes(scope.subgraph.index)) {
      draft.subgraphs.push(scope.subgraph.index);
      scope.subgraph.nodeIds.push(draft.id);
    }
  }

  #edge(statement: EdgeStatement, scope: Scope): void {
    const attributes = this.#merge(scope.edgeDefaults, 'edge', statement.attributes, 'explicit');
    const { chain } = statement;
    for (const [position, from] of chain.entries()) {
      const draft = this.#mention(from, scope);
      if (position > 0) draft.isTarget = true;
      const to = chain[position + 1];
      if (to === undefined) break;
      draft.isSource = true;
      this.#edges.push({
        index: this.#edges.length,
        from: from.name,
        to: to.name,
        attributes,
        fromSpan: from.span,
        toSpan: to.span,
        span: { start: from.span.start, end: to.span.end },
      });
    }
  }

  #mention(id: Identifier, scope: Scope): NodeDraft {
    const known = this.#nodes.get(id.name);
    if (known !== undefined) return known;
    const draft: NodeDraft = {
      id: id.name,
      span: id.span,
      defaults: scope.nodeDefaults,
      declared: undefined,
      isSource: false,
      isTarget: false,
      subgraphs: [],
      mentionedIn: scope.subgraph?.index,
    };
    this.#nodes.set(id.name, draft);
    return draft;
  }

  #reportRedeclaration(id: string, declared: AttributeMap, explicit: readonly Attribute[]): void {
    for (const attribute of explicit) {
      const before = declared.get(attribute.name);
      if (before?.origin !== 'explicit') continue;
      if (attributeText(before.value) === attributeText(attribute.value)) continue;
      this.diagnostics.push({
        rule: 'node_redeclared',
        severity: 'info',
        message: `node "${id}" is declared again with another \`${attribute.name}\`; the last value wins`,
        span: attribute.keySpan,
        nodeId: id,
        related: [{ span: before.keySpan, message: 'first set here' }],
        fix: { title: 'keep one value, or rename one of the two nodes', edits: [] },
      });
    }
  }

  #lower(
    owner: AttributeOwner | 'subgraph',
    attributes: readonly AttributeNode[],
    origin: Attribute['origin'],
  ): readonly Attribute[] {
    return lowerAttributes(owner, attributes, origin, this);
  }

  #merge(
    defaults: AttributeMap,
    owner: AttributeOwner,
    attributes: readonly AttributeNode[],
    origin: Attribute['origin'],
  ): AttributeMap {
    if (attributes.length === 0) return defaults;
    const merged = new Map(defaults);
    for (const attribute of this.#lower(owner, attributes, origin)) merged.set(attribute.name, attribute);
    return merged;
  }

  graph(name: Identifier): Graph {
    const subgraphs = this.#finishSubgraphs();
    const nodes = new Map<string, Node>();
    for (const draft of this.#nodes.values()) {
      const isNode = draft.declared !== undefined || (draft.isSource && draft.isTarget);
      if (isNode) nodes.set(draft.id, finishNode(draft, subgraphs));
    }
    return {
      name: name.name,
      nameSpan: name.span,
      attributes: this.#attributes,
      nodes,
      edges: this.#edges,
      subgraphs,
    };
  }

  #finishSubgraphs(): readonly Subgraph[] {
    for (const draft of this.#nodes.values()) {
      const isImplicit = draft.declared === undefined && draft.isSource && draft.isTarget;
      if (!isImplicit || draft.mentionedIn === undefined) continue;
      draft.subgraphs.push(draft.mentionedIn);
      this.#subgraphs[draft.mentionedIn]?.nodeIds.push(draft.id);
    }
    return this.#subgraphs.map((draft) => {
      const derivedClass = deriveClass(draft.attributes);
      return derivedClass === undefined ? draft : { ...draft, derivedClass };
    });
  }
}

function finishNode(draft: NodeDraft, subgraphs: readonly Subgraph[]): Node {
  const { id, span, declared } = draft;
  const attributes = declared ?? draft.defaults;
  const classes = classesOf(attributes, draft.subgraphs, subgraphs);
  const subgraph = draft.subgraphs.at(-1);
  const node = { id, attributes, classes, declared: declared !== undefined, span };
  return subgraph === undefined ? node : { ...node, subgraph };
}
