import type { IToken } from 'chevrotain';
import type { Actions } from './actions.js';
import type { AttributeBlock } from './attribute-list.js';
import { kindOf, kindsIn, type TokenList } from './token-list.js';
import * as t from './tokens.js';

/**
 * Reads a statement that begins at a token, if it is one of defaults, of a node with a block or of an edge, and written without any
 * mistake (§2.2), and says how many tokens it has: most texts hold little else.
 *
 * The grammar reads the same statements with the same result, but at every token it has to find out which alternative comes,
 * which takes twice as long as all the rest. Here a whole statement is looked at before any of it is read: whatever is not
 * plain is left to the grammar untouched.
 */
export function readPlainStatement(tokens: TokenList, from: number, actions: Actions): number {
  const block = endOfNames(tokens, from);
  if (block === from) return 0;
  const end = endOfBlock(tokens, block);
  const behind = tokens.kindAt(end);
  if (!endsPlainly(block - from, end - block, behind)) return 0;
  const chain = namesBetween(tokens, from, block);
  actions.nodeOrEdge(chain, block === end ? undefined : readBlock(tokens, block, end, actions));
  return end - from + (behind === SEMICOLON ? 1 : 0);
}

/** Behind `a -> b -> c`; `from` where no plain statement begins. */
function endOfNames(tokens: TokenList, from: number): number {
  const first = tokens.kindAt(from);
  if (first === GRAPH || first === NODE || first === EDGE) return from + 1;
  if (first !== WORD) return from;
  let end = from + 1;
  while (tokens.kindAt(end) === ARROW && tokens.kindAt(end + 1) === WORD) end += 2;
  return end;
}

/** Behind `[key=value, key=value]`; `from` where there is no block, or another one. */
function endOfBlock(tokens: TokenList, from: number): number {
  if (tokens.kindAt(from) !== L_SQUARE) return from;
  for (let index = from + 1; ; index += 4) {
    const key = tokens.kindAt(index);
    if (key !== WORD && key !== STRING) return from;
    if (tokens.kindAt(index + 1) !== EQUALS || tokens.lengthOf(index + 1) > 1) return from;
    if (isValue[tokens.kindAt(index + 2)] !== 1) return from;
    const behind = tokens.kindAt(index + 3);
    if (behind === R_SQUARE) return index + 4;
    if (behind !== COMMA) return from;
  }
}

function namesBetween(tokens: TokenList, from: number, end: number): readonly IToken[] {
  const chain = [tokens.at(from)];
  for (let index = from + 2; index < end; index += 2) chain.push(tokens.at(index));
  return chain;
}

function readBlock(tokens: TokenList, from: number, end: number, actions: Actions): AttributeBlock {
  const attributes = [];
  for (let index = from + 1; index < end; index += 4) {
    attributes.push(actions.attribute(tokens.at(index), tokens.at(index + 2)));
  }
  // What was filled by push has room for more, which in a large tree adds up.
  return {
    attributes: attributes.slice(),
    span: { start: tokens.startOf(from), end: tokens.endOf(end - 1) },
    sound: true,
  };
}

/** Whether the token behind leaves it at that: no port, no other operator, no second block, and no lone name. */
function endsPlainly(names: number, block: number, behind: number): boolean {
  if (behind === L_SQUARE) return false;
  if (block > 0) return true;
  return names > 1 && behind !== COLON && isEdgeOperator[behind] !== 1;
}

const GRAPH = kindOf(t.GraphKeyword);
const NODE = kindOf(t.NodeKeyword);
const EDGE = kindOf(t.EdgeKeyword);
const WORD = kindOf(t.Word);
const STRING = kindOf(t.StringLiteral);
const ARROW = kindOf(t.Arrow);
const EQUALS = kindOf(t.Equals);
const COLON = kindOf(t.Colon);
const COMMA = kindOf(t.Comma);
const SEMICOLON = kindOf(t.Semicolon);
const L_SQUARE = kindOf(t.LSquare);
const R_SQUARE = kindOf(t.RSquare);

const isValue = kindsIn(t.Value);
const isEdgeOperator = kindsIn(t.EdgeOperator);
