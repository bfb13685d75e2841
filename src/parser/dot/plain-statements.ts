import { EmbeddedActionsParser, type IToken, type TokenType, tokenMatcher } from 'chevrotain';
import type { Actions } from './actions.js';
import type { AttributeBlock } from './attribute-list.js';
import { endOf } from './report.js';
import * as t from './tokens.js';

/**
 * Reads defaults, nodes with a block and edges that are written without any mistake (§2.2): most texts hold little else.
 *
 * The grammar reads the same statements with the same result, but at every token it has to find out which alternative comes,
 * which takes twice as long as all the rest. Here a whole statement is looked at before any of it is consumed: whatever is
 * not plain is left to the grammar untouched.
 */
export abstract class PlainStatements extends EmbeddedActionsParser {
  /** Reads a statement if it is plain. */
  protected plainStatement(actions: Actions): boolean {
    const names = this.#lengthOfNames();
    if (names === 0) return false;
    const block = this.#lengthOfBlock(names + 1);
    const length = names + block;
    if (!endsPlainly(names, block, this.LA(length + 1).tokenType)) return false;
    const chain = this.#namesAhead(names);
    actions.nodeOrEdge(chain, block === 0 ? undefined : this.#blockAhead(names + 1, length, actions));
    const semicolon = this.LA(length + 1).tokenType === t.Semicolon ? 1 : 0;
    for (let count = length + semicolon; count > 0; count -= 1) this.SKIP_TOKEN();
    return true;
  }

  /** How many tokens `a -> b -> c` takes; 0 where no plain statement begins. */
  #lengthOfNames(): number {
    const first = this.LA(1).tokenType;
    if (first === t.GraphKeyword || first === t.NodeKeyword || first === t.EdgeKeyword) return 1;
    if (first !== t.Word) return 0;
    let length = 1;
    while (this.LA(length + 1).tokenType === t.Arrow && this.LA(length + 2).tokenType === t.Word) length += 2;
    return length;
  }

  /** How many tokens `[key=value, key=value]` takes; 0 where there is no block, or another one. */
  #lengthOfBlock(from: number): number {
    if (this.LA(from).tokenType !== t.LSquare) return 0;
    for (let index = from + 1; ; index += 4) {
      const key = this.LA(index).tokenType;
      if (key !== t.Word && key !== t.StringLiteral) return 0;
      const equals = this.LA(index + 1);
      if (equals.tokenType !== t.Equals || equals.image !== '=') return 0;
      if (!tokenMatcher(this.LA(index + 2), t.Value)) return 0;
      const behind = this.LA(index + 3).tokenType;
      if (behind === t.RSquare) return index + 4 - from;
      if (behind !== t.Comma) return 0;
    }
  }

  #namesAhead(length: number): readonly IToken[] {
    const chain = [this.LA(1)];
    for (let index = 3; index <= length; index += 2) chain.push(this.LA(index));
    return chain;
  }

  #blockAhead(from: number, to: number, actions: Actions): AttributeBlock {
    const attributes = [];
    for (let index = from + 1; index < to; index += 4) {
      attributes.push(actions.attribute(this.LA(index), this.LA(index + 2)));
    }
    // What was filled by push has room for more, which in a large tree adds up.
    return {
      attributes: attributes.slice(),
      span: { start: this.LA(from).startOffset, end: endOf(this.LA(to)) },
      sound: true,
    };
  }
}

/** Whether the token behind leaves it at that: no port, no other operator, no second block, and no lone name. */
function endsPlainly(names: number, block: number, behind: TokenType): boolean {
  if (behind === t.LSquare) return false;
  if (block > 0) return true;
  return names > 1 && behind !== t.Colon && !EDGE_OPERATORS.has(behind);
}

const EDGE_OPERATORS: ReadonlySet<TokenType> = new Set(
  t.tokenTypes.filter((type) => type.CATEGORIES?.includes(t.EdgeOperator)),
);
