import type { Diagnostic } from '../../diagnostic/diagnostic.js';
import type { Span } from '../../diagnostic/source.js';

/** Content of a `.dot` file, as written (§2.2). Every part has its position in the text. */
export interface DotDocument {
  /** Missing if the text has no readable `digraph NAME {`. */
  readonly graph?: DotGraph;
  /** All comments in the order of the text; they belong to no statement. */
  readonly comments: readonly Comment[];
}

export interface DotGraph {
  readonly name: Identifier;
  readonly statements: readonly Statement[];
  readonly span: Span;
}

/** `// …` or `/* … *\/`; the span covers the delimiters, `kind` says which. */
export interface Comment {
  readonly kind: 'line' | 'block';
  readonly span: Span;
}

export interface Identifier {
  readonly name: string;
  readonly span: Span;
}

export type Statement =
  | GraphAttributes
  | NodeDefaults
  | EdgeDefaults
  | AttributeStatement
  | SubgraphStatement
  | NodeStatement
  | EdgeStatement;

/** `graph [ … ]` */
export interface GraphAttributes {
  readonly kind: 'graph_attributes';
  readonly attributes: readonly AttributeNode[];
  readonly span: Span;
}

/** `node [ … ]` */
export interface NodeDefaults {
  readonly kind: 'node_defaults';
  readonly attributes: readonly AttributeNode[];
  readonly span: Span;
}

/** `edge [ … ]` */
export interface EdgeDefaults {
  readonly kind: 'edge_defaults';
  readonly attributes: readonly AttributeNode[];
  readonly span: Span;
}

/** `key = value` */
export interface AttributeStatement {
  readonly kind: 'attribute';
  readonly attribute: AttributeNode;
  readonly span: Span;
}

/** `subgraph name? { … }`; nesting is limited, so walking it recursively is safe. */
export interface SubgraphStatement {
  readonly kind: 'subgraph';
  readonly name?: Identifier;
  readonly statements: readonly Statement[];
  readonly span: Span;
}

/** `id` or `id [ … ]` */
export interface NodeStatement {
  readonly kind: 'node';
  readonly id: Identifier;
  readonly attributes: readonly AttributeNode[];
  readonly span: Span;
}

/** `a -> b -> c [ … ]`; `chain` holds at least two ids, the first is where the chain starts. */
export interface EdgeStatement {
  readonly kind: 'edge';
  readonly chain: readonly Identifier[];
  readonly attributes: readonly AttributeNode[];
  readonly span: Span;
}

export interface AttributeNode {
  readonly key: AttributeKey;
  readonly value: ValueNode;
  readonly span: Span;
}

export interface AttributeKey {
  /** Without quotes: `manager.max_cycles` for both spellings. */
  readonly name: string;
  readonly quoted: boolean;
  readonly span: Span;
}

/** Value as written. The attribute, not the spelling, decides its type (graph/attribute-tables). */
export interface ValueNode {
  readonly kind: 'string' | 'integer' | 'float' | 'boolean' | 'duration' | 'bare';
  /** Decoded for a string, else the word as written. */
  readonly text: string;
  /** Covers the quotes of a string. */
  readonly span: Span;
}

export interface DotParseResult {
  readonly document: DotDocument;
  readonly diagnostics: readonly Diagnostic[];
  /**
   * Ids that the document has for texts that are not identifiers (`my-node`), by the text (SEMANTICS 11);
   * missing if there are none.
   */
  readonly renamed?: ReadonlyMap<string, string>;
  /** Offset after which prose may have been read as attributes, because a string seems to end too early. */
  readonly doubtfulFrom?: number;
}
