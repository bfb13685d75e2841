import type { JsonValue } from '../../graph/json.js';
import { shortResponse } from '../dot/rules/texts.js';

/** Where a text of Rye stands, which decides about `${result.…}` and the item of a list. */
export interface ValuePlace {
  /** Kind of the stage whose result is read. */
  readonly result: 'command' | 'program' | 'model' | 'pipeline' | 'none';
  /** Name of the item, in a `foreach`. */
  readonly item?: string | undefined;
  /** Keys that a `foreach` has collected: lists of what its branches have set. */
  readonly collected: ReadonlySet<string>;
  /** Called for a value that this language does not have. */
  readonly lost: (message: string) => void;
}

/** Text with its values in the notation of this language. */
export function translateText(text: string, place: ValuePlace): string {
  const values = text.replaceAll(/\$\{([A-Za-z_][\w.]*)\}/g, (whole, path: string) => {
    const translated = translatePath(path, place);
    return translated === undefined ? whole : `\${${translated}}`;
  });
  return values.replaceAll(
    /\{input:(\w+)(\?|:[^{}]*)?\}/g,
    (whole, name: string, rest: string | undefined) => {
      if (rest?.startsWith(':'))
        place.lost(
          `${whole}: give the default in \`inputs\`, as in inputs="${name}: string = ${rest.slice(1)}"`,
        );
      return `\${inputs.${name}}`;
    },
  );
}

/** Any value, with the texts in it translated. */
export function translateValue(value: JsonValue, place: ValuePlace): JsonValue {
  if (typeof value === 'string') return translateText(value, place);
  if (Array.isArray(value)) return value.map((one) => translateValue(one, place));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, translateValue(one, place)]));
}

/** Path in this language; undefined for one that is not a value of Rye, such as `${HOME}`. */
export function translatePath(path: string, place: ValuePlace): string | undefined {
  const [root = '', ...rest] = path.split('.');
  if (root === place.item) return ['context', path].join('.');
  switch (root) {
    case 'inputs':
      return path;
    case 'state':
      return statePath(rest, place);
    case 'result':
      return resultPath(rest, place);
    case '_now':
      place.lost('${_now}: let a command print the time, as in `date -u +%FT%TZ`');
      return undefined;
    default:
      return undefined;
  }
}

function statePath([key = '', ...rest]: readonly string[], { collected }: ValuePlace): string {
  if (key === 'inputs') return ['inputs', ...rest].join('.');
  if (key === '_last_error')
    return ['internal.last_failure', ...(rest[0] === 'error' ? ['reason'] : rest)].join('.');
  if (key === '_retries' && rest.length > 0) return `stages.${rest.join('.')}.retries`;
  if (!collected.has(key)) return ['context', key, ...rest].join('.');
  const [index, field, ...inside] = rest;
  const known = field === undefined ? undefined : commandResults.get(field);
  const member = known === undefined ? [field, ...inside] : [known];
  return ['context', key, index, ...member].filter((part) => part !== undefined).join('.');
}

/** Fields of the result of a command. */
const commandResults: ReadonlyMap<string, string> = new Map([
  ['stdout', 'tool.output'],
  ['output', 'tool.output'],
  ['stderr', 'tool.stderr'],
  ['exit_code', 'tool.exit_code'],
  ['return_code', 'tool.exit_code'],
  ['returncode', 'tool.exit_code'],
]);

function resultPath(rest: readonly string[], place: ValuePlace): string {
  const [field = '', ...inside] = rest;
  if (field === 'success') return 'result.success';
  if (field === 'error') return 'result.failure_reason';
  switch (place.result) {
    case 'command':
      return commandResults.get(field) ?? ['tool.json', ...rest].join('.');
    case 'program':
      return rest.length === 0 ? 'tool.json' : ['tool.json', ...rest].join('.');
    case 'pipeline':
      return field === 'state' ? ['child.context', ...inside].join('.') : `child.${field}`;
    case 'model':
      return modelResult(field, inside, place);
    case 'none':
      return ['result', ...rest].join('.');
  }
}

function modelResult(field: string, inside: readonly string[], { lost }: ValuePlace): string {
  if (field === 'outputs' && inside.length > 0) return ['context', ...inside].join('.');
  if (field === 'thread_id') {
    lost('${result.thread_id}: a stage has no thread to look up; the name of the stage is in its place');
    return 'result.node';
  }
  if (field === 'result' || field === 'response' || field === 'text' || field === 'output') {
    lost(shortResponse);
    return 'context.last_response';
  }
  return ['result', field, ...inside].join('.');
}
