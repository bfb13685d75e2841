/** From this size on a list, or an object, is written many members a line. */
const longFrom = 256;
const membersPerLine = 1000;

const indentation = '  ';

/**
 * A value as JSON for people, as `JSON.stringify(value, null, 2)` writes it, and a line break; but what is long has many
 * members a line, and comes in pieces: the state of a run of a million steps would otherwise be in memory once more as a
 * text, most of it white space.
 */
export function* jsonText(value: object): Iterable<string> {
  yield* pieces(value, '\n');
  yield '\n';
}

/** @param line a line break, and the indentation of the line that the value stands in */
function* pieces(value: unknown, line: string): Iterable<string> {
  if (typeof value !== 'object' || value === null) yield JSON.stringify(value) ?? 'null';
  else if (Array.isArray(value)) yield* listPieces(value, line);
  else yield* objectPieces(value as Readonly<Record<string, unknown>>, line);
}

function* listPieces(list: readonly unknown[], line: string): Iterable<string> {
  if (list.length === 0) return yield '[]';
  const inner = line + indentation;
  if (list.length >= longFrom) {
    yield* brackets('[', ']', line, slices(list));
    return;
  }
  let before = `[${inner}`;
  for (const member of list) {
    yield before;
    yield* pieces(member, inner);
    before = `,${inner}`;
  }
  yield `${line}]`;
}

function* objectPieces(object: Readonly<Record<string, unknown>>, line: string): Iterable<string> {
  const keys = Object.keys(object).filter((key) => object[key] !== undefined);
  if (keys.length === 0) return yield '{}';
  const inner = line + indentation;
  if (keys.length >= longFrom) {
    const parts = function* (): Iterable<object> {
      for (const some of slices(keys)) yield Object.fromEntries(some.map((key) => [key, object[key]]));
    };
    yield* brackets('{', '}', line, parts());
    return;
  }
  let before = `{${inner}`;
  for (const key of keys) {
    yield `${before}${JSON.stringify(key)}: `;
    yield* pieces(object[key], inner);
    before = `,${inner}`;
  }
  yield `${line}}`;
}

/** Parts of a list or of an object, each on a line, as one. */
function* brackets(open: string, close: string, line: string, parts: Iterable<object>): Iterable<string> {
  const inner = line + indentation;
  let before = open + inner;
  for (const part of parts) {
    yield before;
    yield JSON.stringify(part).slice(1, -1);
    before = `,${inner}`;
  }
  yield line + close;
}

function* slices<Member>(list: readonly Member[]): Iterable<Member[]> {
  for (let from = 0; from < list.length; from += membersPerLine)
    yield list.slice(from, from + membersPerLine);
}
