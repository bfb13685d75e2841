import type { Span } from '../../../diagnostic/source.js';
import { assignPrefix, parameterPrefix } from '../../../graph/attributes.js';
import { childFile } from '../../../graph/child-file.js';
import { deriveClass } from '../../../graph/classes.js';
import { perObject } from '../../../graph/per-object.js';
import { handlerTypeOf } from '../../../graph/queries.js';
import { contextKey } from '../../../graph/values/key-lists.js';
import type { Identifier, Statement } from '../../../parser/dot/ast.js';
import { type AttributeInText, attributesIn, placeWords, statementsIn } from './attributes-in.js';
import { mentionsInValue } from './mentions-in-value.js';
import type { Mention, MentionRole, NamedKind } from './named-thing.js';
import type { PipelineText } from './pipeline-text.js';

/** Every place of a text that names something, in the order of the text. */
export const mentionsIn = perObject((pipeline: PipelineText): readonly Mention[] => {
  const { document } = pipeline.parsed;
  const found: Mention[] = [];
  const declared = new Set<string>();
  for (const { statement } of statementsIn(document)) {
    for (const { id, role } of idsOf(statement, declared)) {
      const isDerived = pipeline.text.slice(id.span.start, id.span.end) === id.name ? undefined : true;
      const thing = { kind: 'node', name: id.name, owner: pipeline.uri } as const;
      found.push({ thing, span: id.span, role, nodeId: id.name, isDerived });
    }
  }
  for (const one of attributesIn(document)) {
    found.push(...mentionsInName(one, pipeline), ...classOfLabel(one, pipeline));
    found.push(...mentionsInValue(one, pipeline));
  }
  return found.sort((one, other) => one.span.start - other.span.start || one.span.end - other.span.end);
});

interface WrittenId {
  readonly id: Identifier;
  readonly role: MentionRole;
}

/** A node is declared by its first statement; what only edges mention is declared by none (SEMANTICS 7). */
function idsOf(statement: Statement, declared: Set<string>): readonly WrittenId[] {
  if (statement.kind === 'edge') return statement.chain.map((id) => ({ id, role: 'reference' }));
  if (statement.kind !== 'node') return [];
  const { id } = statement;
  const role = declared.has(id.name) ? 'reference' : 'declaration';
  declared.add(id.name);
  return [{ id, role }];
}

/** Names of attributes that authors complete: `assign.<key>` and `params.<input of the child>`. */
function mentionsInName(one: AttributeInText, pipeline: PipelineText): readonly Mention[] {
  const { attribute, owner, nodeId } = one;
  const { name } = attribute.key;
  if (owner !== 'node') return [];
  if (name.startsWith(assignPrefix)) {
    const key = contextKey(name.slice(assignPrefix.length));
    return [inName('key', key, pipeline.uri, 'write', one)];
  }
  const child = name.startsWith(parameterPrefix) ? childOf(nodeId, pipeline) : undefined;
  return child === undefined
    ? []
    : [inName('input', name.slice(parameterPrefix.length), child, 'write', one)];
}

/** A mention at the end of the name of an attribute, which may be quoted. */
function inName(
  kind: NamedKind,
  name: string,
  owner: string,
  role: MentionRole,
  one: AttributeInText,
): Mention {
  const { key } = one.attribute;
  const end = key.span.end - (key.quoted ? 1 : 0);
  return {
    thing: { kind, name, owner },
    span: { start: end - name.length, end },
    role,
    nodeId: one.nodeId,
    place: placeWords(one),
  };
}

/** URI of the pipeline that a stage runs; undefined for any other stage. */
export function childOf(
  nodeId: string | undefined,
  { graph, handlerTypes, resolve }: PipelineText,
): string | undefined {
  const node = nodeId === undefined ? undefined : graph.nodes.get(nodeId);
  if (node === undefined) return undefined;
  const handler = handlerTypeOf(graph, node, handlerTypes);
  const file = handler.runsChild ? childFile(graph, node, handler) : '';
  return file === '' ? undefined : resolve(file);
}

/** A subgraph gives its nodes the class that its label makes (§2.10). */
function classOfLabel(
  { attribute, owner }: AttributeInText,
  { uri, graph }: PipelineText,
): readonly Mention[] {
  if (owner !== 'subgraph' || attribute.key.name !== 'label') return [];
  const { value, key } = attribute;
  const label = graph.subgraphs.find(
    ({ attributes }) => attributes.get('label')?.keySpan.start === key.span.start,
  );
  const name = label && deriveClass(label.attributes);
  if (name === undefined) return [];
  const span: Span = value.span;
  return [{ thing: { kind: 'class', name, owner: uri }, span, role: 'declaration', isDerived: true }];
}
