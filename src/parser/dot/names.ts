import type { IToken } from 'chevrotain';
import type { Fix } from '../../diagnostic/diagnostic.js';
import type { AttributeKey, Identifier } from './ast.js';
import {
  hasIdentifierForm,
  isKeyword,
  isSound,
  suggestIdentifier,
  tokenText,
  unnamed,
} from './identifier.js';
import { quote } from './quote.js';
import { advice, describe, type Report, replacement, spanOf } from './report.js';
import type { SyntaxCode } from './syntax-codes.js';
import * as t from './tokens.js';

type NameRole = 'node id' | 'graph name' | 'subgraph name';

const QUALIFIED = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;

/**
 * Reads the name of a graph or of a block (§2.3, SEMANTICS 11). Anything but an identifier is reported, and
 * read as the identifier that the fix writes.
 */
export function readName(token: IToken, role: 'graph name' | 'subgraph name', report: Report): Identifier {
  const span = spanOf(token);
  if (isSound(token)) return { name: token.image, span };
  const name = suggestIdentifier(tokenText(token));
  const fix = name === unnamed ? advice('choose a name') : replacement(`write ${name}`, span, name);
  reportName(token, role, name, fix, report);
  return { name, span };
}

/** Reports an invalid name. */
export function reportName(token: IToken, role: NameRole, name: string, fix: Fix, report: Report): void {
  const code = mistakeOf(token);
  if (token.tokenType === t.StringLiteral && tokenText(token) === name) {
    const message = `the ${role} ${describe(token)} is quoted; ids are written without quotes`;
    const withoutQuotes = replacement('remove the quotes', spanOf(token), name);
    report.add(code, spanOf(token), message, { fix: withoutQuotes });
  } else {
    report.add(code, spanOf(token), `${describe(token)} cannot be a ${role}: ${REASONS[code]}`, { fix });
  }
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

/**
 * Reads an attribute key: an identifier, a dotted or a quoted one (§2.2, SEMANTICS 17). Keywords are valid
 * keys.
 */
export function readKey(token: IToken, report: Report): AttributeKey {
  const span = spanOf(token);
  if (token.tokenType === t.StringLiteral) return { name: tokenText(token), quoted: true, span };
  if (!hasIdentifierForm(token.image) && !QUALIFIED.test(token.image)) {
    const wrongQuotes = token.tokenType === t.WrongQuotes;
    const quoted = quote(tokenText(token));
    const rule = 'keys are identifiers, joined by dots where there are several';
    if (wrongQuotes) {
      report.add('wrong_quotes', span, `the key ${describe(token)} must be in straight double quotes`, {
        fix: replacement('use double quotes', span, quoted),
      });
    } else {
      report.add(
        'invalid_key',
        span,
        `${describe(token)} cannot be an attribute key: ${rule}; quote it to use it anyway`,
        {
          fix: replacement('quote the key', span, quoted),
        },
      );
    }
  }
  return { name: tokenText(token), quoted: false, span };
}
