import type { AttributeOwner } from '../../graph/attributes.js';
import type { Graph } from '../../graph/graph.js';
import type { AttributeNode, Statement } from '../../parser/dot/ast.js';
import type { AttributeChange, AttributeRule, DotDialect, RuleNote } from './dot-dialect.js';
import { attributesOf, type MigratedText } from './migrated-text.js';
import { rewriteText } from './rewrite-text.js';

/** Rewrites each attribute by the tables of a dialect: its name, its value, and the texts in it. */
export function rewriteAttributes(migrated: MigratedText, graph: Graph, dialect: DotDialect): void {
  for (const [statement, owner] of ownersOf(migrated.tree.statements)) {
    if (migrated.isDropped(statement)) continue;
    const attributes = attributesOf(statement);
    const beside = new Map(attributes.map(({ key, value }) => [key.name, value.text]));
    const nodeId = statement.kind === 'node' ? statement.id.name : undefined;
    const edgeFrom =
      statement.kind === 'edge' && statement.chain.length === 2 ? statement.chain[0]?.name : undefined;
    for (const attribute of attributes) {
      const raw = migrated.source.slice(attribute.value.span.start, attribute.value.span.end);
      const { name } = attribute.key;
      const change = ruleFor(dialect, owner, name)?.({ attribute, raw, nodeId, edgeFrom, beside, graph });
      if (change !== undefined) describe(migrated, statement, attribute, change);
      const wanted = (change?.attributes ?? [{ name }]).map((one) => {
        const { text, notes } = rewriteText(one.raw ?? raw, { attribute: one.name, nodeId, graph }, dialect);
        for (const note of notes) migrated.noteAt(statement.span, attribute.span, note);
        return { name: one.name, raw: text };
      });
      if (wanted.length === 0) migrated.remove(statement, attribute);
      else put(migrated, attribute, raw, wanted);
    }
  }
}

/** Rule for an attribute; undefined if the dialect means the same by it as this language, or nothing. */
export function ruleFor(
  { attributes }: Pick<DotDialect, 'attributes'>,
  owner: AttributeOwner,
  name: string,
): AttributeRule | undefined {
  const rules = attributes[owner];
  const dot = name.indexOf('.');
  const row = Object.hasOwn(rules, name) || dot === -1 ? name : `${name.slice(0, dot)}.*`;
  return Object.hasOwn(rules, row) ? rules[row] : undefined;
}

/** Statements with attributes, each with its owner; those of subgraphs are for the drawing. */
function* ownersOf(
  statements: readonly Statement[],
  isInside = false,
): Iterable<[Statement, AttributeOwner]> {
  for (const statement of statements) {
    switch (statement.kind) {
      case 'subgraph':
        yield* ownersOf(statement.statements, true);
        break;
      case 'graph_attributes':
      case 'attribute':
        if (!isInside) yield [statement, 'graph'];
        break;
      case 'node_defaults':
      case 'node':
        yield [statement, 'node'];
        break;
      case 'edge_defaults':
      case 'edge':
        yield [statement, 'edge'];
        break;
    }
  }
}

function describe(
  migrated: MigratedText,
  statement: Statement,
  { key, span }: AttributeNode,
  { attributes, note, prologue = [] }: AttributeChange,
): void {
  for (const line of prologue) migrated.prologue(line);
  if (note !== undefined) migrated.noteAt(statement.span, span, note);
  else migrated.noteAt(statement.span, span, rewriting(key.name, attributes, prologue));
}

function rewriting(
  name: string,
  attributes: AttributeChange['attributes'],
  prologue: readonly string[],
): RuleNote {
  const names = [...attributes.map((one) => one.name), ...prologue.map((line) => `\`${line}\``)];
  const message =
    names.length === 0 ? `${name} is left out: it has no effect here` : `${name} becomes ${names.join(', ')}`;
  return { kind: 'rewritten', message };
}

function put(
  migrated: MigratedText,
  { key, value, span }: AttributeNode,
  raw: string,
  wanted: readonly { readonly name: string; readonly raw: string }[],
): void {
  const [only] = wanted;
  if (wanted.length > 1 || only === undefined) {
    migrated.replace(span, wanted.map((one) => `${spellKey(one.name)}=${one.raw}`).join(', '));
    return;
  }
  if (only.name !== key.name) migrated.replace(key.span, spellKey(only.name));
  if (only.raw !== raw) migrated.replace(value.span, only.raw);
}

/** Keys with dots are quoted, as Graphviz wants them. */
export function spellKey(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `"${name}"`;
}
