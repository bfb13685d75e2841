/** Length from which a list, or an object, is written with many members a line. */
const longFrom = 256;
const membersPerLine = 1000;

const indentation = '  ';
/**
 * Maximum indentation: deeper values are written on one line, because they are unreadable anyway, and a
 * value may be as deep as the stack allows.
 */
const deepestIndentation = 64 * indentation.length;

type Member = readonly [key: string, value: unknown];

/** Object as its members, for writers that do not need the object itself. */
export class JsonMembers {
  readonly members: readonly Member[];

  constructor(members: readonly Member[]) {
    this.members = members;
  }
}

/** List without an array, for writers that do not need one. */
export class JsonList {
  readonly #list: { readonly size: number; get(index: number): unknown };

  constructor(list: { readonly size: number; get(index: number): unknown }) {
    this.#list = list;
  }

  get length(): number {
    return this.#list.size;
  }

  slice(from = 0, to = this.length): readonly unknown[] {
    return Array.from({ length: Math.min(to, this.length) - from }, (_, index) =>
      this.#list.get(from + index),
    );
  }
}

/**
 * Value as JSON for people, as `JSON.stringify(value, null, 2)` writes it, and a line break; but a long one
 * has many members a line, a deep one is on one line, and the text comes in pieces: the state of a run of a
 * million steps would otherwise be in memory again as a text, most of it white space.
 */
export function* jsonText(value: object): Iterable<string> {
  yield* pieces(value, '\n');
  yield '\n';
}

/** @param line a line break, and the indentation of the value's line */
function* pieces(value: unknown, line: string): Iterable<string> {
  if (typeof value !== 'object' || value === null || line.length > deepestIndentation) yield textOf(value);
  else if (Array.isArray(value) || value instanceof JsonList) yield* listPieces(value, line);
  else yield* objectPieces(value instanceof JsonMembers ? value.members : Object.entries(value), line);
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

function listText(values: readonly unknown[]): string {
  return JSON.stringify(values).slice(1, -1);
}

/** Text of members, without creating an object, which takes longer than its text. */
function membersText(members: readonly Member[]): string {
  return members.map(([key, value]) => `${JSON.stringify(key)}:${textOf(value)}`).join(',');
}

function* listPieces(list: readonly unknown[] | JsonList, line: string): Iterable<string> {
  if (list.length === 0) return yield '[]';
  const inner = line + indentation;
  if (list.length >= longFrom) {
    return yield* longPieces('[', ']', line, list.length, (from, to) => listText(list.slice(from, to)));
  }
  let before = `[${inner}`;
  for (const value of list.slice()) {
    yield before;
    yield* pieces(value, inner);
    before = `,${inner}`;
  }
  yield `${line}]`;
}

function* objectPieces(all: readonly Member[], line: string): Iterable<string> {
  const members = all.filter(([, value]) => value !== undefined);
  if (members.length === 0) return yield '{}';
  const inner = line + indentation;
  if (members.length >= longFrom) {
    return yield* longPieces('{', '}', line, members.length, (from, to) =>
      membersText(members.slice(from, to)),
    );
  }
  let before = `{${inner}`;
  for (const [key, value] of members) {
    yield `${before}${JSON.stringify(key)}: `;
    yield* pieces(value, inner);
    before = `,${inner}`;
  }
  yield `${line}}`;
}

/** @param text some of the members, on a line */
function* longPieces(
  open: string,
  close: string,
  line: string,
  count: number,
  text: (from: number, to: number) => string,
): Iterable<string> {
  const inner = line + indentation;
  let before = open + inner;
  for (let from = 0; from < count; from += membersPerLine) {
    yield before;
    yield text(from, from + membersPerLine);
    before = `,${inner}`;
  }
  yield line + close;
}
