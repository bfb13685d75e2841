import type { Graph } from '../../../graph/graph.js';
import { resultFields } from '../../../graph/look-up.js';
import { declaredInputs } from '../../../graph/values/declared-inputs.js';
import { handlerKeys } from '../../../graph/values/handler-keys.js';
import { type KeyEntry, keyListOf } from '../../../graph/values/key-lists.js';
import { stageValueNames } from '../../../graph/values/seen-stages.js';
import { writtenKeys } from '../../../graph/values/written-keys.js';
import { typeNames } from '../../../parser/key-list/ast.js';
import { typeText } from '../../../parser/key-list/value-type.js';
import type { Suggestion } from './suggestion.js';

/** Suggestions for a word that is being typed, with the number of its characters. */
export interface WordCompletion {
  readonly typed: number;
  readonly suggestions: readonly Suggestion[];
}

/** Values that a pipeline has, by their paths: declared inputs, keys that stages set, and what stages say (SEMANTICS 101–104). */
export interface KnownValues {
  readonly inputs: readonly KeyEntry[];
  readonly keys: ReadonlyMap<string, KeyEntry | undefined>;
  readonly stages: readonly string[];
}

/**
 * Values of a pipeline that is being written.
 * @param stages ids in it
 */
export function knownValues(graph: Graph, stages: readonly string[]): KnownValues {
  const keys = new Map<string, KeyEntry | undefined>();
  for (const node of graph.nodes.values()) {
    for (const { key } of writtenKeys(node)) keys.set(key, keys.get(key));
    const writes = node.attributes.get('writes');
    for (const entry of (writes && keyListOf(writes).list?.entries) ?? []) keys.set(entry.key, entry);
  }
  return { inputs: inputsOf(graph), keys, stages };
}

function inputsOf(graph: Graph): readonly KeyEntry[] {
  return [...(declaredInputs(graph)?.values() ?? [])];
}

/** Completion in a list of keys: types after a colon, and before it the keys that other stages read or write. */
export function inKeyList(name: string, written: string, values: KnownValues): WordCompletion | undefined {
  const entry = written.slice(written.lastIndexOf(',') + 1);
  const [, key, type] = /^\s*([\w.-]*)\s*(?::\s*([\w|]*))?$/.exec(entry) ?? [];
  if (key === undefined) return undefined;
  if (type !== undefined) return type.includes('|') ? undefined : { typed: type.length, suggestions: types };
  if (name === 'inputs') return undefined;
  const listed = new Set(
    written
      .split(',')
      .slice(0, -1)
      .map((one) => /[\w.-]+/.exec(one)?.[0]),
  );
  const known = [...values.keys].filter(([one]) => !listed.has(one) && one !== key);
  return { typed: key.length, suggestions: known.map(([one, own]) => suggestionOf(one, own)) };
}

const types: readonly Suggestion[] = typeNames.map((label) => ({
  label,
  kind: 'value',
  info: `A value of this type; write words such as \`low|high\` for a choice.`,
}));

function suggestionOf(label: string, entry: KeyEntry | undefined): Suggestion {
  return { label, kind: 'key', detail: entry?.type && typeText(entry.type) };
}

/** Completion of a path of a value, as in `inputs.`, `context.` and `stages.test.`; undefined before the first dot. */
export function inPath(word: string, values: KnownValues): WordCompletion | undefined {
  const [, root, rest] = /^(inputs|context|result|stages)\.([\w.-]*)$/.exec(word) ?? [];
  if (root === undefined || rest === undefined) return undefined;
  switch (root) {
    case 'inputs':
      return {
        typed: rest.length,
        suggestions: values.inputs.map((entry) => suggestionOf(entry.key, entry)),
      };
    case 'context':
      return { typed: rest.length, suggestions: keysOfContext(values, rest) };
    case 'result':
      return { typed: rest.length, suggestions: resultFields.map((label) => ({ label, kind: 'key' })) };
    default:
      return inStages(rest, values);
  }
}

function keysOfContext({ keys }: KnownValues, typed: string): readonly Suggestion[] {
  const own = [...keys].filter(([key]) => key !== typed).map(([key, entry]) => suggestionOf(key, entry));
  return [...own, ...handlerKeys.map((label): Suggestion => ({ label, kind: 'key' }))];
}

function inStages(rest: string, { stages }: KnownValues): WordCompletion {
  const [id = '', field] = rest.split('.', 2);
  if (field === undefined)
    return {
      typed: id.length,
      suggestions: stages.map((label) => ({ label, kind: 'node', insert: `${label}.` })),
    };
  return { typed: field.length, suggestions: stageValueNames.map((label) => ({ label, kind: 'key' })) };
}

/** Words or truth values that a path is compared with, if its type has few. */
export function valuesOfPath(path: string, { inputs, keys }: KnownValues): readonly Suggestion[] {
  const [root, ...rest] = path.split('.');
  const name = rest.join('.');
  const entry = root === 'inputs' ? inputs.find(({ key }) => key === name) : keys.get(name);
  const type = root === 'inputs' || root === 'context' ? entry?.type : undefined;
  const words = type?.kind === 'words' ? type.words : type?.kind === 'boolean' ? ['true', 'false'] : [];
  return words.map((label) => ({ label, kind: 'value' }));
}

/** Path in a template that is being typed: all after the last `${` that is open. */
export function openPath(written: string): string | undefined {
  return /(?<!\$)\$\{([\w.-]*)$/.exec(written)?.[1];
}
