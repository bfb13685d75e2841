import type { AttributeNode, DotGraph, Statement, ValueNode } from '../../../src/parser/dot/ast.js';
import { parseDot } from '../../../src/parser/dot/parse.js';

/** A syntax tree in short: `G: a[x=integer:1]; a->b; subgraph s {c}`. */
export function outline(graph: DotGraph | undefined): string {
  return graph === undefined ? 'nothing' : `${graph.name.name}: ${outlineAll(graph.statements)}`;
}

/** The outline of the statements in `digraph G { … }`. */
export function statementsOf(text: string): string {
  return outline(parseDot(`digraph G { ${text} }`).document.graph).replace(/^G: /, '');
}

/** The codes of the findings in `digraph G { … }`. */
export function codesOf(text: string): readonly (string | undefined)[] {
  return parseDot(`digraph G { ${text} }`).diagnostics.map(({ code }) => code);
}

function outlineAll(statements: readonly Statement[]): string {
  return statements.map(outlineOne).join('; ');
}

function outlineOne(statement: Statement): string {
  switch (statement.kind) {
    case 'graph_attributes':
      return `graph${outlineBlock(statement.attributes)}`;
    case 'node_defaults':
      return `node${outlineBlock(statement.attributes)}`;
    case 'edge_defaults':
      return `edge${outlineBlock(statement.attributes)}`;
    case 'attribute':
      return outlineAttribute(statement.attribute);
    case 'subgraph':
      return `subgraph ${statement.name?.name ?? '-'} {${outlineAll(statement.statements)}}`;
    case 'node':
      return `${statement.id.name}${outlineBlock(statement.attributes)}`;
    case 'edge':
      return `${statement.chain.map(({ name }) => name).join('->')}${outlineBlock(statement.attributes)}`;
  }
}

function outlineBlock(attributes: readonly AttributeNode[]): string {
  return attributes.length === 0 ? '' : `[${attributes.map(outlineAttribute).join(', ')}]`;
}

function outlineAttribute({ key, value }: AttributeNode): string {
  return `${key.quoted ? JSON.stringify(key.name) : key.name}=${outlineValue(value)}`;
}

function outlineValue({ kind, text }: ValueNode): string {
  return kind === 'string' ? JSON.stringify(text) : `${kind}:${text}`;
}
