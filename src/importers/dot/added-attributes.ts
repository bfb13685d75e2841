import type { Span } from '../../diagnostic/source.js';
import type { AttributeNode, EdgeStatement, NodeStatement } from '../../parser/dot/ast.js';

/** Edit of a text by one statement of it. */
interface PlacedText {
  readonly span: Span;
  readonly text: string;
}

/** Attributes added at the end of a statement: in its block, or in a new one. @param left its attributes that stay */
export function addedAtEnd(
  source: string,
  statement: NodeStatement | EdgeStatement,
  left: readonly AttributeNode[],
  added: readonly string[],
): PlacedText {
  const last = left.at(-1);
  if (last !== undefined) {
    const { end } = last.span;
    return {
      span: { start: end, end },
      text: added.map((one) => `,${gapBefore(source, last)}${one}`).join(''),
    };
  }
  const head = statement.kind === 'node' ? statement.id : statement.chain.at(-1);
  const start = head?.span.end ?? statement.span.end;
  // A statement has one block: an empty one, in which there may be a comment, takes the attributes.
  const opening =
    statement.attributes.length === 0 ? source.slice(start, statement.span.end).indexOf('[') : -1;
  if (opening === -1) return { span: { start, end: start }, text: blockOf(added) };
  const inside = start + opening + 1;
  return { span: { start: inside, end: inside }, text: added.join(', ') };
}

/**
 * Splits a chain, so that an edge in it can have attributes that the others do not have: `a -> b -> c` becomes `a -> b [x=1]; b -> c`.
 * @param addedTo attributes of the edge that leads to the id at an offset
 * @param textOf a part of the text as it will be
 * @returns what to insert, without the attributes of the last edge, which stand at the end of the statement
 */
export function splitChain(
  { chain }: EdgeStatement,
  left: readonly AttributeNode[],
  addedTo: ReadonlyMap<number, readonly string[]>,
  textOf: (span: Span) => string,
): readonly PlacedText[] {
  const common = left.map(({ span }) => textOf(span));
  return chain.slice(1, -1).flatMap(({ span }, index) => {
    const added = addedTo.get(span.start);
    const next = chain[index + 2]?.span.start;
    if (added === undefined && (next === undefined || !addedTo.has(next))) return [];
    const text = `${blockOf([...common, ...(added ?? [])])}; ${textOf(span)}`;
    return [{ span: { start: span.end, end: span.end }, text }];
  });
}

function blockOf(attributes: readonly string[]): string {
  return attributes.length === 0 ? '' : ` [${attributes.join(', ')}]`;
}

/** Blank between attributes: a line break where each has its own line. */
function gapBefore(source: string, { span }: AttributeNode): string {
  const lineStart = source.lastIndexOf('\n', span.start - 1) + 1;
  const indent = source.slice(lineStart, span.start);
  return lineStart > 0 && indent.trim() === '' ? `\n${indent}` : ' ';
}
