import { Document, isCollection, isMap, isScalar, isSeq, type Pair, parseDocument } from 'yaml';
import type { JsonValue } from '../../graph/json.js';
import { isAuthorsKey } from '../../graph/values/handler-keys.js';
import {
  type ScriptEntry,
  type SimulationScript,
  scriptToJson,
} from '../../run-directory/simulation-script.js';
import type { Observation, Setup } from '../play-case.js';

/** A case to be written down. */
export interface NewCase {
  readonly name: string;
  readonly generated?: true;
  readonly setup: Setup;
  /** What the pipeline does now, which the case expects from now on. */
  readonly seen: Observation;
}

/** First line of a file that is written whole. */
const heading = '# Tests of this pipeline: `attractor test` plays them.\n';

/**
 * Text of a test file with more cases; what people wrote stays, letter by letter.
 * @param before the text so far; undefined for a new file
 * @param replaces true if the new cases take the place of those that were generated before
 */
export function withCases(before: string | undefined, cases: readonly NewCase[], replaces: boolean): string {
  if (before === undefined) return `${heading}cases:\n${caseLines(cases, 2)}`;
  const kept = keptText(before, (item) => replaces && isMap(item) && item.get('generated') === true);
  const added = caseLines(cases, kept.indent);
  const gap = kept.head === '' || kept.head.endsWith('\n') ? '' : '\n';
  return `${kept.head}${gap}${added}${kept.tail}`;
}

interface Kept {
  /** Text up to the place of new cases. */
  readonly head: string;
  readonly tail: string;
  /** Blanks before the dash of a case. */
  readonly indent: number;
}

function keptText(text: string, isDropped: (item: unknown) => boolean): Kept {
  const document = parseDocument(text);
  const cases = document.get('cases');
  if (!isSeq(cases) || cases.flow === true || cases.items.length === 0) return rewritten(document, isDropped);
  const starts = cases.items.map((item) => lineStart(text, startOf(item)));
  const [first = 0] = starts;
  const end = lineEnd(text, endOf(cases.items.at(-1)));
  const indent = /^ */.exec(text.slice(first))?.[0].length ?? 0;
  const pieces = cases.items.map((item, index) => ({
    text: text.slice(starts[index], starts[index + 1] ?? end),
    isKept: !isDropped(item),
  }));
  const own = pieces.filter(({ isKept }) => isKept).map((piece) => piece.text);
  return { head: text.slice(0, first) + own.join(''), tail: text.slice(end), indent };
}

/** A file in another style, in ours. */
function rewritten(document: Document.Parsed, isDropped: (item: unknown) => boolean): Kept {
  const cases = document.get('cases');
  if (isSeq(cases)) {
    cases.flow = false;
    cases.items = cases.items.filter((item) => !isDropped(item));
  }
  const isEmpty = !isSeq(cases) || cases.items.length === 0;
  const { contents } = document;
  if (isEmpty && isMap(contents)) contents.delete('cases');
  const text = !isMap(contents) || contents.items.length === 0 ? '' : document.toString({ lineWidth: 110 });
  return { head: isEmpty ? `${text}cases:\n` : text, tail: '', indent: 2 };
}

function startOf(node: unknown): number {
  return (isCollection(node) || isScalar(node)) && node.range ? node.range[0] : 0;
}

function endOf(node: unknown): number {
  return (isCollection(node) || isScalar(node)) && node.range ? node.range[1] : 0;
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  if (text[offset - 1] === '\n') return offset;
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

function caseLines(cases: readonly NewCase[], indent: number): string {
  return cases
    .map((one) => {
      const lines = caseText(one).trimEnd().split('\n');
      const blanks = ' '.repeat(indent);
      return lines.map((line, index) => `${blanks}${index === 0 ? '- ' : '  '}${line}`).join('\n');
    })
    .map((text) => `${text}\n`)
    .join('');
}

function caseText({ name, generated, setup, seen }: NewCase): string {
  const { inputs = new Map<string, JsonValue>(), script, ...others } = setup;
  const written = {
    name,
    generated,
    inputs: inputs.size > 0 ? Object.fromEntries(inputs) : undefined,
    ...others,
    script: scriptText(script),
    expect: expectationsOf(seen),
  };
  const document = new Document(withoutUnset(written));
  compact(document, ['inputs']);
  compactEach(document, ['script', 'nodes']);
  compact(document, ['script', 'answers']);
  for (const key of ['path', 'asked', 'visits']) compact(document, ['expect', key]);
  compactEach(document, ['expect', 'context']);
  return wrapped(document.toString({ lineWidth: 0, flowCollectionPadding: true }));
}

/** Text in which long lists take several lines: between their items, which YAML reads as a blank. */
function wrapped(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const margin = /^ */.exec(line)?.[0] ?? '';
      const lines: string[] = [];
      let rest = line;
      while (rest.length > longestLine) {
        const at = rest.lastIndexOf(', ', longestLine);
        if (at <= margin.length || !/^ *(?:- )?\w+: \[/.test(line)) break;
        lines.push(rest.slice(0, at + 1));
        rest = `${margin}    ${rest.slice(at + 2)}`;
      }
      return [...lines, rest];
    })
    .join('\n');
}

const longestLine = 110;

function scriptText({ nodes, answers }: SimulationScript): object | undefined {
  if (nodes.size === 0 && answers.size === 0) return undefined;
  const written = scriptToJson({ nodes, answers }) as {
    readonly nodes: Record<string, readonly ScriptEntry[]>;
  };
  const entries = Object.entries(written.nodes).map(([id, list]) => [id, list.length === 1 ? list[0] : list]);
  return withoutUnset({
    nodes: nodes.size > 0 ? Object.fromEntries(entries) : undefined,
    answers: answers.size > 0 ? Object.fromEntries(answers) : undefined,
  });
}

function withoutUnset(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Characters of a reason that a case expects, and of a value. */
const longestReason = 80;
const longestValue = 200;

/** Keys of handlers that say how branches have ended. */
const alsoExpected: ReadonlySet<string> = new Set(['parallel.success_count', 'parallel.fail_count']);

function expectationsOf({ status, reason, path, asked, context }: Observation): object {
  const values = Object.entries(context).filter(
    ([key, value]) =>
      (isAuthorsKey(key) || alsoExpected.has(key)) &&
      !Object.hasOwn(context, `inputs.${key}`) &&
      value !== null &&
      JSON.stringify(value).length <= longestValue,
  );
  const expected: Record<string, unknown> = { status };
  if (status === 'success') delete expected.status;
  const [first = ''] = (reason ?? '').split('\n', 1);
  if (status === 'fail' && first !== '') expected.failure = first.slice(0, longestReason).trimEnd();
  expected.path = path;
  if (asked.length > 0) expected.asked = asked.map(({ stage }) => stage);
  if (values.length > 0) expected.context = Object.fromEntries(values);
  return expected;
}

/** Writes a part of a case in one line. */
function compact(document: Document, path: readonly string[]): void {
  const node = document.getIn(path);
  if (isCollection(node)) node.flow = true;
}

/** Writes each entry of a map in one line, or each item of such an entry. */
function compactEach(document: Document, path: readonly string[]): void {
  const node = document.getIn(path);
  if (!isMap(node)) return;
  for (const { value } of node.items as Pair[]) {
    const items = isSeq(value) ? value.items : [value];
    for (const item of items) if (isCollection(item)) item.flow = true;
  }
}
