import type { Span } from '../diagnostic/source.js';

/**
 * The lowered pipeline: chains expanded, defaults applied, subgraphs flattened, values typed (§2.9–2.12). Plain
 * readonly data; a transform returns a new one. Names come from the author, so they live in maps, never as object keys.
 */
export interface Graph {
  readonly name: string;
  readonly nameSpan: Span;
  readonly attributes: AttributeMap;
  /** In the order of their first mention. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** In the order of the text; `edges[i].index === i`. Two nodes may have several edges between them. */
  readonly edges: readonly Edge[];
  readonly subgraphs: readonly Subgraph[];
}

export interface Node {
  readonly id: string;
  readonly attributes: AttributeMap;
  /** From the `class` attribute, then derived from the labels of the subgraphs around it, outer first (§2.10, §2.12). */
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
  /** The class that its label gives to the nodes inside; undefined where it has none (§2.10). */
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
  /** The value as written, with its quotes; for a computed one, what it was computed from. */
  readonly valueSpan: Span;
  /** Of a text that a transform has only put something into: where, in order, so that the rest keeps its place. */
  readonly insertions?: readonly Insertion[];
  /** Of a value that a stylesheet gives: where in the text of the sheet its declaration has it. */
  readonly declaredAt?: Span;
}

/** A part of a text that stands in the place of something written. */
export interface Insertion {
  /** Within the text. */
  readonly span: Span;
  /** The length of what is written in its place. */
  readonly writtenLength: number;
}

export type AttributeValue = string | number | boolean | Duration;

export interface Duration {
  readonly milliseconds: number;
  /** As an author writes it: `900s`. */
  readonly text: string;
}

/** The value as an author would read it: durations in their own notation. */
export function attributeText(value: AttributeValue): string {
  return typeof value === 'object' ? value.text : String(value);
}
