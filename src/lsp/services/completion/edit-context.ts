import type { AttributeOwner } from '../../../graph/attributes.js';

/** Syntactic context at an offset of a text that may be incomplete. */
export type EditContext =
  /** The beginning of a statement: a node, a keyword, an attribute of the graph. */
  | { readonly kind: 'statement'; readonly from: number }
  /** After an arrow. */
  | { readonly kind: 'edge_end'; readonly from: number }
  | {
      readonly kind: 'attribute_name';
      readonly from: number;
      readonly owner: AttributeOwner;
      /** Node of the list; undefined for defaults, edges and the graph. */
      readonly nodeId: string | undefined;
      /** Already written in this list. */
      readonly written: readonly string[];
    }
  | {
      readonly kind: 'attribute_value';
      readonly from: number;
      readonly owner: AttributeOwner;
      readonly nodeId: string | undefined;
      readonly name: string;
      readonly isQuoted: boolean;
      /** Typed part of the value before the cursor. */
      readonly text: string;
    }
  /** Comments, and what no help is known for. */
  | { readonly kind: 'elsewhere' };

interface Token {
  readonly kind: 'word' | 'string' | 'comment' | 'arrow' | 'sign';
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** True if a string or a block comment has its end. */
  readonly isClosed: boolean;
}

const tokenPattern =
  /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|("(?:[^"\\]|\\[\s\S])*(?:"|$))|(->)|([\w.\-#%+]+?(?=->|[^\w.\-#%+]|$))|([^\s])/gy;

/** Tokens of a text, even of a broken one. */
export function scan(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(tokenPattern, 'gy');
  for (let at = 0; at < text.length; ) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) {
      at += 1;
      continue;
    }
    const [whole, comment, string, arrow, word] = match;
    const kind =
      comment !== undefined
        ? 'comment'
        : string !== undefined
          ? 'string'
          : arrow
            ? 'arrow'
            : word
              ? 'word'
              : 'sign';
    const isClosed =
      kind === 'string'
        ? whole.length > 1 && whole.endsWith('"')
        : !(whole.startsWith('/*') && !whole.endsWith('*/'));
    tokens.push({ kind, text: whole, start: at, end: at + whole.length, isClosed });
    at += whole.length;
  }
  return tokens;
}

/** Syntactic context at an offset of a text (§2.2), for completion and hovering. */
export function contextAt(text: string, offset: number): EditContext {
  const before = scan(text).filter(({ start }) => start < offset);
  const last = before.at(-1);
  if (last?.kind === 'comment') {
    const isInside = last.text.startsWith('//') ? offset <= last.end : offset < last.end || !last.isClosed;
    if (isInside) return { kind: 'elsewhere' };
  }
  // The token around the cursor, or directly before it, is being typed.
  const touches =
    last !== undefined && last.end >= offset && (last.kind === 'word' || last.kind === 'string');
  const isPastString = last?.kind === 'string' && last.isClosed && offset >= last.end;
  if (isPastString) return { kind: 'elsewhere' };
  const current = touches ? last : undefined;
  const earlier = (current === undefined ? before : before.slice(0, -1)).filter(
    ({ kind }) => kind !== 'comment',
  );
  return placeBehind(earlier, current, offset);
}

function placeBehind(earlier: readonly Token[], current: Token | undefined, offset: number): EditContext {
  const from = current === undefined ? offset : current.kind === 'string' ? current.start + 1 : current.start;
  const isQuoted = current?.kind === 'string';
  const text = current === undefined ? '' : current.text.slice(isQuoted ? 1 : 0, offset - current.start);
  const opening = openList(earlier);
  const previous = earlier.at(-1);
  if (opening !== undefined) {
    const { owner, nodeId } = ownerOf(earlier.slice(0, opening));
    const inside = earlier.slice(opening + 1);
    if (previous?.text === '=') {
      const name = nameBefore(inside);
      return { kind: 'attribute_value', from, owner, nodeId, name, isQuoted, text };
    }
    const isName = previous?.text === '[' || previous?.text === ',' || previous?.text === ';';
    if (!isName || isQuoted) return { kind: 'elsewhere' };
    return { kind: 'attribute_name', from, owner, nodeId, written: namesIn(inside) };
  }
  if (previous?.kind === 'arrow') return { kind: 'edge_end', from };
  if (previous?.text === '=')
    return {
      kind: 'attribute_value',
      from,
      owner: 'graph',
      nodeId: undefined,
      name: nameBefore(earlier),
      isQuoted,
      text,
    };
  if (isQuoted || !earlier.some((token) => token.text === '{')) return { kind: 'elsewhere' };
  const isBeginning =
    previous === undefined ||
    /^[{};\]]$/.test(previous.text) ||
    previous.kind === 'word' ||
    previous.kind === 'string';
  return isBeginning ? { kind: 'statement', from } : { kind: 'elsewhere' };
}

/** The index of the bracket that is still open; undefined outside of attribute lists. */
function openList(tokens: readonly Token[]): number | undefined {
  for (let index = tokens.length - 1; index >= 0; index -= 1) {
    const text = tokens[index]?.text;
    if (text === '[') return index;
    if (text === ']' || text === '{' || text === '}') return undefined;
  }
  return undefined;
}

interface Owner {
  readonly owner: AttributeOwner;
  readonly nodeId: string | undefined;
}

/** Owner of a list, from the statement before it. */
function ownerOf(before: readonly Token[]): Owner {
  const last = before.at(-1);
  const defaults = ['graph', 'node', 'edge'] as const;
  const keyword = last?.kind === 'word' ? defaults.find((word) => word === last.text) : undefined;
  if (keyword !== undefined) return { owner: keyword, nodeId: undefined };
  for (let index = before.length - 1; index >= 0; index -= 1) {
    const token = before[index];
    if (token?.kind === 'arrow') return { owner: 'edge', nodeId: undefined };
    const joins = token?.kind === 'word' || token?.kind === 'string';
    const continues = before[index - 1]?.kind === 'arrow';
    if (!joins || !continues) break;
  }
  return { owner: 'node', nodeId: last?.kind === 'word' ? last.text : undefined };
}

/** Name of the value that is being typed: the token before its `=`. */
function nameBefore(tokens: readonly Token[]): string {
  const token = tokens.at(-2);
  return token?.kind === 'word' ? token.text : token?.kind === 'string' ? token.text.replaceAll('"', '') : '';
}

function namesIn(tokens: readonly Token[]): readonly string[] {
  return tokens.flatMap((token, index) =>
    (token.kind === 'word' || token.kind === 'string') && tokens[index + 1]?.text === '='
      ? [token.text.replaceAll('"', '')]
      : [],
  );
}
