import type { IToken, TokenType } from 'chevrotain';
import type { AttributeKey, Identifier } from './ast.js';
import { advice, describe, excerpt, type Report, replacement, spanOf } from './report.js';
import { decodeString } from './string.js';
import type { SyntaxCode } from './syntax-codes.js';
import * as t from './tokens.js';

export type NameRole = 'node id' | 'graph name' | 'subgraph name';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const QUALIFIED = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;
const KEYWORDS: ReadonlySet<string> = new Set(['digraph', 'graph', 'node', 'edge', 'subgraph']);

/**
 * Reads an id (§2.3, SEMANTICS 11). What is no identifier is reported and read as the identifier that the message
 * suggests, so that the rest of the file still refers to something.
 */
export function readIdentifier(token: IToken, role: NameRole, report: Report): Identifier {
  const span = spanOf(token);
  if (IDENTIFIER.test(token.image) && !isKeyword(token)) return { name: token.image, span };
  const text = plainText(token);
  const name = suggestIdentifier(text);
  const code = mistakeOf(token);
  if (token.tokenType === t.StringLiteral && text === name) {
    report.add(code, span, `the ${role} ${describe(token)} is quoted; ids are written without quotes`, {
      fix: replacement(`remove the quotes`, span, name),
    });
  } else {
    report.add(code, span, `${describe(token)} cannot be a ${role}: ${REASONS[code]}`, {
      fix: advice(
        `write ${excerpt(name)} everywhere${role === 'node id' ? ' and put the text into label' : ''}`,
      ),
    });
  }
  return { name, span };
}

type NameMistake = Extract<
  SyntaxCode,
  'quoted_id' | 'hyphenated_id' | 'dotted_id' | 'numeric_id' | 'non_ascii_id' | 'reserved_keyword'
>;

const RULE = 'use letters, digits and underscores only';
const REASONS: Readonly<Record<NameMistake, string>> = {
  quoted_id: `ids are not quoted; ${RULE}`,
  hyphenated_id: `it has a hyphen; ${RULE}`,
  dotted_id: `it has a dot; ${RULE}`,
  numeric_id: 'it must begin with a letter or an underscore',
  non_ascii_id: 'it has letters other than A to Z; put such text into label',
  reserved_keyword: 'it is a keyword; choose another name',
};

function mistakeOf(token: IToken): NameMistake {
  if (isKeyword(token)) return 'reserved_keyword';
  switch (token.tokenType) {
    case t.StringLiteral:
    case t.WrongQuotes:
      return 'quoted_id';
    case t.Word:
    case t.ForeignWord:
      if (/[^\0-\x7F]/.test(token.image)) return 'non_ascii_id';
      return token.image.includes('-') ? 'hyphenated_id' : 'dotted_id';
    default:
      return 'numeric_id';
  }
}

function isKeyword({ tokenType }: IToken): boolean {
  return tokenType !== t.Word && KEYWORD_TYPES.has(tokenType);
}

const KEYWORD_TYPES: ReadonlySet<TokenType> = new Set([
  t.Digraph,
  t.GraphKeyword,
  t.NodeKeyword,
  t.EdgeKeyword,
  t.Subgraph,
]);

function plainText(token: IToken): string {
  if (token.tokenType === t.StringLiteral) return decodeString(token.image.slice(1, -1)).text;
  return token.tokenType === t.WrongQuotes ? token.image.slice(1, -1) : token.image;
}

/** The identifier nearest to a text: `my-node` gives `my_node`, `3rd try` gives `n3rd_try`. */
export function suggestIdentifier(text: string): string {
  const ascii = text.slice(0, 200).normalize('NFD').replace(/\p{M}/gu, '');
  const words = ascii.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^_+|_+$/g, '');
  const plain = IDENTIFIER.test(text) ? text : words;
  if (plain === '') return 'unnamed';
  if (KEYWORDS.has(plain)) return `my_${plain}`;
  return /^[0-9]/.test(plain) ? `n${plain}` : plain;
}

/** Reads an attribute key: an identifier, a dotted or a quoted one (§2.2, SEMANTICS 17). Keywords are keys like others. */
export function readKey(token: IToken, report: Report): AttributeKey {
  const span = spanOf(token);
  if (token.tokenType === t.StringLiteral) return { name: plainText(token), quoted: true, span };
  if (!QUALIFIED.test(token.image)) {
    const wrongQuotes = token.tokenType === t.WrongQuotes;
    const quoted = JSON.stringify(plainText(token));
    const what = 'keys are identifiers, joined by dots where there are several';
    if (wrongQuotes) {
      report.add('wrong_quotes', span, `the key ${describe(token)} must stand in straight double quotes`, {
        fix: replacement('use double quotes', span, quoted),
      });
    } else {
      report.add(
        'invalid_key',
        span,
        `${describe(token)} cannot be an attribute key: ${what}; quote it otherwise`,
        {
          fix: replacement('quote the key', span, quoted),
        },
      );
    }
  }
  return { name: plainText(token), quoted: false, span };
}
