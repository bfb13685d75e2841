import type { Span } from '../../diagnostic/source.js';
import type { AttributeOwner } from '../../graph/attributes.js';
import type { Edge, Graph } from '../../graph/graph.js';
import type { AttributeNode } from '../../parser/dot/ast.js';
import type { MigrationNote } from '../importer.js';

/** Dialect of pipelines in DOT: a table of its differences. */
export interface DotDialect {
  readonly name: string;
  readonly title: string;
  readonly signs: DialectSigns;
  /**
   * Attributes by owner; those that are not listed stay as they are. A name that ends with `.*` is a whole
   * namespace.
   */
  readonly attributes: Readonly<Record<AttributeOwner, Readonly<Record<string, AttributeRule>>>>;
  /** Rewrites texts in which values are filled in: prompts, labels, commands. */
  readonly texts: readonly TextRule[];
  /** Rewrites conditions, as written between the quotes. */
  readonly conditions: readonly TextRule[];
  /** Rewrites that need more than one statement. */
  readonly pipeline: readonly PipelineRule[];
}

/** Signs of a dialect; each one that a text has counts once. */
export interface DialectSigns {
  /** Strength without any sign, for the language that DOT is taken for if nothing says otherwise. */
  readonly base?: number;
  readonly graph?: readonly string[];
  readonly node?: readonly string[];
  readonly edge?: readonly string[];
  readonly shapes?: readonly string[];
  readonly texts?: readonly RegExp[];
}

export interface AttributeUse {
  readonly attribute: AttributeNode;
  /** Value as written, with its quotes. */
  readonly raw: string;
  /** Node of the statement; undefined for defaults, edges and the graph. */
  readonly nodeId?: string | undefined;
  /** Source of the edges of the statement; undefined for a chain of several edges. */
  readonly edgeFrom?: string | undefined;
  /** Names and decoded values of all attributes of the same statement. */
  readonly beside: ReadonlyMap<string, string>;
  readonly graph: Graph;
}

/** Change of one attribute; undefined if it stays. */
export type AttributeRule = (use: AttributeUse) => AttributeChange | undefined;

export interface AttributeChange {
  /** Attributes in its place, with values as written; without a value, the old one is kept. */
  readonly attributes: readonly { readonly name: string; readonly raw?: string }[];
  readonly note?: RuleNote | undefined;
  /** Statements for the beginning of the pipeline. */
  readonly prologue?: readonly string[];
}

/** Note of a rule, whose position follows from what it is about. */
export type RuleNote = Pick<MigrationNote, 'kind' | 'message'>;

export interface TextRule {
  /** Global. */
  readonly pattern: RegExp;
  /**
   * Text instead of a match, or a note about a match that stays.
   * @param match the whole match and its groups; an empty text for a group that took no part
   */
  readonly replace: (match: readonly string[], where: TextPlace) => string | RuleNote | undefined;
}

export interface TextPlace {
  /** Attribute of this language that has the text. */
  readonly attribute: string;
  readonly nodeId?: string | undefined;
  readonly graph: Graph;
}

/** What a rule for the whole pipeline wants changed. */
export type PipelineChange =
  | { readonly kind: 'set'; readonly nodeId: string; readonly name: string; readonly raw: string }
  | { readonly kind: 'set_edge'; readonly edge: Edge; readonly name: string; readonly raw: string }
  | { readonly kind: 'prologue' | 'epilogue'; readonly statement: string }
  | { readonly kind: 'replace'; readonly span: Span; readonly text: string }
  | { readonly kind: 'drop_node'; readonly nodeId: string; readonly message: string }
  | { readonly kind: 'note'; readonly span: Span; readonly note: RuleNote };

export type PipelineRule = (graph: Graph, source: string) => Iterable<PipelineChange>;

/** The attribute has another name here. */
export function renamed(name: string, note?: RuleNote): AttributeRule {
  return ({ attribute, beside }) =>
    beside.has(name)
      ? {
          attributes: [],
          note: { kind: 'lost', message: `${attribute.key.name} next to ${name}, which has its meaning` },
        }
      : { attributes: [{ name }], note };
}

/** Nothing here says it. */
export function lost(advice: string): AttributeRule {
  return ({ attribute, raw }) => ({
    attributes: [],
    note: { kind: 'lost', message: `${attribute.key.name}=${shortened(raw)}: ${advice}` },
  });
}

/** It has no effect, or says what holds anyway. */
export const needless: AttributeRule = () => ({ attributes: [] });

/** The value changes, too. */
export function revalued(
  name: string,
  value: (text: string) => string | undefined,
  note?: RuleNote,
): AttributeRule {
  return ({ attribute }) => {
    const raw = value(attribute.value.text.trim());
    return raw === undefined ? undefined : { attributes: [{ name, raw }], note };
  };
}

/** Rules by the value of the attribute; other values stay. */
export function byValue(rules: Readonly<Record<string, AttributeRule>>): AttributeRule {
  return (use) => {
    const value = use.attribute.value.text.trim();
    return Object.hasOwn(rules, value) ? rules[value]?.(use) : undefined;
  };
}

const longestQuotation = 60;

function shortened(raw: string): string {
  const line = raw.replaceAll(/\s+/g, ' ');
  return line.length <= longestQuotation ? line : `${line.slice(0, longestQuotation)}…`;
}
