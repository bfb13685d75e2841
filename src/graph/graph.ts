import type { Span } from '../diagnostic/source.js';

/**
 * Lowered pipeline: chains expanded, defaults applied, subgraphs flattened, values typed (§2.9–2.12). Plain
 * readonly data; a transform returns a new one. Names come from the author, so they are keys of maps, never
 * of objects.
 */
export interface Graph {
  readonly name: string;
  readonly nameSpan: Span;
  readonly attributes: AttributeMap;
  /** Nodes in the order of their first mention. */
  readonly nodes: ReadonlyMap<string, Node>;
  /**
   * Edges in the order of the text; `edges[i].index === i`. Two nodes may have several edges between them.
   */
  readonly edges: readonly Edge[];
  readonly subgraphs: readonly Subgraph[];
}

export interface Node {
  readonly id: string;
  readonly attributes: AttributeMap;
  /**
   * Classes of the `class` attribute, then those derived from the labels of the subgraphs around it, outer
   * first (§2.10, §2.12).
   */
  readonly classes: readonly string[];
  /** Index into `graph.subgraphs` of the innermost one that declares it. */
  readonly subgraph?: number;
  /** False for an id that only edges mention, as a source and as a target (SEMANTICS 7). */
  readonly declared: boolean;
  /** The id at its first mention. */
  readonly span: Span;
}

export interface Edge {
  readonly index: number;
  readonly from: string;
  readonly to: string;
  readonly attributes: AttributeMap;
  readonly fromSpan: Span;
  readonly toSpan: Span;
  /** From the source id to the target id. */
  readonly span: Span;
}

export interface Subgraph {
  readonly index: number;
  readonly parent?: number;
  readonly name?: string;
  /** Its own attributes (`label`, `rank`, …); they do not leak to the graph (SEMANTICS 17c). */
  readonly attributes: AttributeMap;
  /** Class that its label gives to the nodes inside; undefined if there is none (§2.10). */
  readonly derivedClass?: string;
  /** Ids of the nodes declared directly inside. */
  readonly nodeIds: readonly string[];
  readonly span: Span;
}

export type AttributeMap = ReadonlyMap<string, Attribute>;

export interface Attribute {
  readonly name: string;
  readonly value: AttributeValue;
  /** `explicit` and `default` were written by the author; the others were computed. */
  readonly origin: 'explicit' | 'default' | 'stylesheet' | 'transform';
  readonly keySpan: Span;
  /**
   * Span of the value as written, with its quotes; for a computed one, of the text that it was computed
   * from.
   */
  readonly valueSpan: Span;
  /** Insertions of a transform into a text, in order, so that the rest keeps its position. */
  readonly insertions?: readonly Insertion[];
  /** Span of the declaration in the stylesheet's text, if a stylesheet gives the value. */
  readonly declaredAt?: Span;
}

/** Part of a text that replaces something written. */
export interface Insertion {
  /** Span within the text. */
  readonly span: Span;
  /** Length of the replaced text. */
  readonly writtenLength: number;
}

export type AttributeValue = string | number | boolean | Duration;

export interface Duration {
  readonly milliseconds: number;
  /** Duration in the notation of authors: `900s`. */
  readonly text: string;
}

/** Value in the notation of authors, also for durations. */
export function attributeText(value: AttributeValue): string {
  return typeof value === 'object' ? value.text : String(value);
}
