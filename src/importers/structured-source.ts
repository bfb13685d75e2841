import { isCollection, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { Span } from '../diagnostic/source.js';
import type { JsonValue } from '../graph/json.js';

/** YAML or JSON that was read, with the positions of its parts. */
export interface StructuredSource {
  readonly value: JsonValue;
  /** Position of a part; that of the nearest one around it where there is none. */
  spanOf(path: readonly (string | number)[]): Span;
}

/** Text of a pipeline is much shorter; reading one of this length takes about a second. */
const mostCharacters = 1_000_000;
/** Aliases that are more than this are a bomb. */
const mostAliases = 100;

/** Reads YAML, or JSON, whose syntax YAML includes. Never throws on a text. */
export function readStructured(
  text: string,
  format: 'yaml' | 'json',
): StructuredSource | readonly Diagnostic[] {
  if (text.length > mostCharacters)
    return [
      problem(0, `the file has ${text.length} characters; pipelines of up to ${mostCharacters} are read`),
    ];
  const syntax = format === 'json' ? jsonProblem(text) : undefined;
  if (syntax !== undefined) return [syntax];
  const document = parseDocument(text, {
    uniqueKeys: true,
    prettyErrors: false,
    lineCounter: new LineCounter(),
  });
  const [error] = document.errors;
  if (error !== undefined)
    return [
      problem(error.pos[0], `not valid ${format === 'json' ? 'JSON' : 'YAML'}: ${firstLine(error.message)}`),
    ];
  const value = plainValue(() => document.toJS({ maxAliasCount: mostAliases }));
  if (value instanceof Error) return [problem(0, `not a pipeline: ${firstLine(value.message)}`)];
  return {
    value,
    spanOf(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const span = rangeOf(document.getIn(path.slice(0, length), true));
        if (span !== undefined) return span;
      }
      return { start: 0, end: 0 };
    },
  };
}

function rangeOf(part: unknown): Span | undefined {
  if (!isNode(part) || !(isScalar(part) || isCollection(part) || isMap(part)) || !part.range)
    return undefined;
  return { start: part.range[0], end: part.range[1] };
}

function plainValue(read: () => unknown): JsonValue | Error {
  try {
    // What YAML has and JSON has not, such as dates and endless numbers, becomes text.
    return JSON.parse(JSON.stringify(read() ?? null)) as JsonValue;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function jsonProblem(text: string): Diagnostic | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const offset = Number(/position (\d+)/.exec(message)?.[1] ?? 0);
    return problem(Math.min(offset, text.length), `not valid JSON: ${firstLine(message)}`);
  }
}

export function problem(start: number, message: string, end = start): Diagnostic {
  return { rule: 'syntax', severity: 'error', message, span: { start, end } };
}

function firstLine(message: string): string {
  return message.split('\n')[0]?.replace(/[.:]$/, '') ?? '';
}
