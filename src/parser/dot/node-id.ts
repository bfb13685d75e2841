import type { IToken } from 'chevrotain';
import type { Fix } from '../../diagnostic/diagnostic.js';
import type { Identifier } from './ast.js';
import type { AttributeBlock } from './attribute-list.js';
import { isKeyword, isSound, tokenText, unnamed } from './identifier.js';
import { reportName } from './names.js';
import type { NodeNames } from './node-names.js';
import { quote } from './quote.js';
import { advice, type Report, replacement, shortExcerpt, spanOf } from './report.js';
import * as t from './tokens.js';

/**
 * Reads the id of a node (§2.3, SEMANTICS 11). Anything but an identifier is reported, and read as the
 * identifier that the fix writes, here as everywhere else in the text, so that the rest of the file still
 * refers to something.
 * @param declaration the rest of the statement, if the id begins a node statement
 */
export function readNodeId(
  token: IToken,
  names: NodeNames,
  report: Report,
  declaration?: AttributeBlock,
): Identifier {
  const span = spanOf(token);
  if (isSound(token)) return { name: token.image, span };
  const name = names.nameOf(token);
  reportName(token, 'node id', name, renaming(token, name, names, declaration), report);
  return { name, span };
}

/**
 * Fix for one mention; each mention has a separate one. The original text becomes the label of the node,
 * for readers.
 */
function renaming(token: IToken, name: string, names: NodeNames, block: AttributeBlock | undefined): Fix {
  const span = spanOf(token);
  const title = `write ${shortExcerpt(name)} everywhere`;
  if (isKeyword(token)) return advice(title);
  if (isLikeIdentifier(tokenText(token))) return replacement(title, span, name);
  const declared = names.declarationOf(token);
  const withLabel = `${title} and move the text to label`;
  if (declared === undefined || name === unnamed || name.startsWith(`${unnamed}_`)) return advice(withLabel);
  if (declared !== token.startOffset || block?.attributes.some(({ key }) => key.name === 'label')) {
    return replacement(withLabel, span, name);
  }
  const label = `label=${token.tokenType === t.StringLiteral ? token.image : quote(tokenText(token))}`;
  const [first] = block?.attributes ?? [];
  const inserted =
    block === undefined
      ? { span: { start: span.end, end: span.end }, text: ` [${label}]` }
      : first === undefined
        ? { span: { start: block.span.start + 1, end: block.span.start + 1 }, text: label }
        : { span: { start: first.span.start, end: first.span.start }, text: `${label}, ` };
  return { title: withLabel, edits: [{ span, text: name }, inserted] };
}

/** True if a text reads the same with underscores: `my-node`, `2nd.try`. */
function isLikeIdentifier(text: string): boolean {
  return /^[A-Za-z0-9_.-]+$/.test(text);
}
