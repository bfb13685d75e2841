import type { AttributeOwner } from '../../../graph/attributes.js';
import { perObject } from '../../../graph/per-object.js';
import type { AttributeNode, DotDocument, Statement } from '../../../parser/dot/ast.js';

/** Attribute as written, with the statement around it. */
export interface AttributeInText {
  readonly attribute: AttributeNode;
  /** `subgraph` for an attribute of a subgraph, which has no meaning but its label. */
  readonly owner: AttributeOwner | 'subgraph';
  readonly statement: Statement;
  /** Node of the statement; undefined for defaults, edges and the graph. */
  readonly nodeId: string | undefined;
}

/** Owner of an attribute for people: `fix`, `fix -> test`, `the graph`. */
export function placeWords({ statement, owner }: Pick<AttributeInText, 'statement' | 'owner'>): string {
  switch (statement.kind) {
    case 'node':
      return statement.id.name;
    case 'edge':
      return statement.chain.map(({ name }) => name).join(' -> ');
    case 'node_defaults':
      return 'the defaults of nodes';
    case 'edge_defaults':
      return 'the defaults of edges';
    default:
      return owner === 'subgraph' ? 'a subgraph' : 'the graph';
  }
}

/** Statements of a document, outer ones before those inside them. */
export const statementsIn = perObject((document: DotDocument): readonly StatementInText[] => {
  const found: StatementInText[] = [];
  const add = (statements: readonly Statement[], isInSubgraph: boolean): void => {
    for (const statement of statements) {
      found.push({ statement, isInSubgraph });
      if (statement.kind === 'subgraph') add(statement.statements, true);
    }
  };
  add(document.graph?.statements ?? [], false);
  return found;
});

export interface StatementInText {
  readonly statement: Statement;
  readonly isInSubgraph: boolean;
}

/** All attributes of a document, in the order of the text. */
export const attributesIn = perObject((document: DotDocument): readonly AttributeInText[] =>
  statementsIn(document).flatMap(({ statement, isInSubgraph }) => {
    const nodeId = statement.kind === 'node' ? statement.id.name : undefined;
    const owner = ownerOf(statement, isInSubgraph);
    return attributesOf(statement).map((attribute) => ({ attribute, owner, statement, nodeId }));
  }),
);

/** Attributes of a statement itself. */
function attributesOf(statement: Statement): readonly AttributeNode[] {
  switch (statement.kind) {
    case 'subgraph':
      return [];
    case 'attribute':
      return [statement.attribute];
    default:
      return statement.attributes;
  }
}

function ownerOf({ kind }: Statement, isInSubgraph: boolean): AttributeInText['owner'] {
  switch (kind) {
    case 'node':
    case 'node_defaults':
      return 'node';
    case 'edge':
    case 'edge_defaults':
      return 'edge';
    default:
      return isInSubgraph ? 'subgraph' : 'graph';
  }
}
