import { type AttributeOwner, attributeDefinition } from '../../graph/attributes.js';
import { type Attribute, type AttributeMap, attributeText, type Graph } from '../../graph/graph.js';
import { isGraphvizAttribute } from '../../graph/graphviz/graphviz-attributes.js';
import type { DotDialect } from './dot-dialect.js';
import { dotDialects } from './dot-dialects.js';
import { ruleFor } from './rewrite-attributes.js';
import { countSigns, readSigns } from './signs.js';

export interface ForeignAttributes {
  /** Dialect of the pipeline, for sentences. */
  readonly title: string;
  /** Attributes that this language does not know, as often as they are written. */
  readonly unknown: number;
  /** Those of them that the dialect has. */
  readonly known: number;
  /** Those of them for which migration writes something else. */
  readonly rewritten: number;
}

/** Attributes of a pipeline that another tool understands; undefined for a pipeline of this language. */
export function foreignAttributes(graph: Graph, text: string): ForeignAttributes | undefined {
  const uses = unknownUses(graph);
  if (uses.size === 0) return undefined;
  const dialect = strongest(text);
  if (dialect === undefined) return undefined;
  const all = [...uses.values()];
  const known = all.filter(({ owner, attribute }) => ruleFor(dialect, owner, attribute.name) !== undefined);
  const rewritten = known.filter((use) => isRewritten(use, dialect, graph));
  return { title: dialect.title, unknown: uses.size, known: known.length, rewritten: rewritten.length };
}

function strongest(text: string): DotDialect | undefined {
  let best: DotDialect | undefined;
  let strength = 0;
  const written = readSigns(text);
  for (const dialect of dotDialects) {
    const own = countSigns(written, dialect);
    if (own <= strength) continue;
    best = dialect;
    strength = own;
  }
  return best?.signs.base === undefined ? best : undefined;
}

interface UnknownUse {
  readonly owner: AttributeOwner;
  readonly attribute: Attribute;
  readonly attributes: AttributeMap;
  readonly nodeId?: string;
}

/** By where they are written: a default of nodes is written once. */
function unknownUses(graph: Graph): ReadonlyMap<number, UnknownUse> {
  const uses = new Map<number, UnknownUse>();
  const add = (owner: AttributeOwner, attributes: AttributeMap, nodeId?: string) => {
    for (const attribute of attributes.values()) {
      const { name, origin, keySpan } = attribute;
      const isWritten = origin === 'explicit' || origin === 'default';
      if (!isWritten || name === 'class' || isGraphvizAttribute(name)) continue;
      if (attributeDefinition(owner, name) === undefined)
        uses.set(keySpan.start, { owner, attribute, attributes, nodeId });
    }
  };
  add('graph', graph.attributes);
  for (const { id, attributes } of graph.nodes.values()) add('node', attributes, id);
  for (const { attributes } of graph.edges) add('edge', attributes);
  return uses;
}

function isRewritten(
  { owner, attribute, attributes, nodeId }: UnknownUse,
  dialect: DotDialect,
  graph: Graph,
): boolean {
  const { name, keySpan, valueSpan } = attribute;
  const text = attributeText(attribute.value);
  const change = ruleFor(
    dialect,
    owner,
    name,
  )?.({
    attribute: {
      key: { name, quoted: false, span: keySpan },
      value: { kind: 'string', text, span: valueSpan },
      span: { start: keySpan.start, end: valueSpan.end },
    },
    raw: text,
    nodeId,
    beside: new Map([...attributes].map(([key, { value }]) => [key, attributeText(value)])),
    graph,
  });
  return change !== undefined && change.note?.kind !== 'lost';
}
