import { type Document, parseDocument } from 'yaml';
import type { z } from 'zod';
import type { Diagnostic } from '../diagnostic/diagnostic.js';
import { nearestName } from '../diagnostic/did-you-mean.js';
import { sortDiagnostics } from '../diagnostic/sort-diagnostics.js';
import { SourceText, type Span } from '../diagnostic/source.js';
import { describeIssue } from '../handlers/describe-issues.js';
import { yamlSpan } from '../run-directory/yaml-spans.js';
import { keysAt, type TestFile, testFileSchema } from './test-file.js';

/** Place in a test file: `['cases', 0, 'expect', 'status']`. */
export type Place = readonly PropertyKey[];

/** A text that was read as a test file. */
export interface ReadTestFile {
  readonly source: SourceText;
  /** Missing if a diagnostic is an error. */
  readonly file?: TestFile;
  readonly diagnostics: readonly Diagnostic[];
  readonly document: Document.Parsed;
}

/** The rule that finds mistakes in test files. */
const testFileRule = 'test_file';

/** Reads a test file in YAML or JSON; a mistake of its author is a diagnostic with its place in the text. */
export function readTestFile(text: string, name: string): ReadTestFile {
  const source = new SourceText(name, text);
  const document = parseDocument(text, { prettyErrors: false });
  const unreadable = document.errors.map(({ code, message, pos: [start, end] }) =>
    finding('syntax', explained.get(code) ?? `not valid YAML: ${sentence(message)}`, { start, end }),
  );
  if (unreadable.length > 0) return { source, document, diagnostics: unreadable };
  const read = plainValue(document);
  if (read.problem !== undefined) {
    const whole = { start: 0, end: 0 };
    return { source, document, diagnostics: [finding('syntax', `not valid YAML: ${read.problem}`, whole)] };
  }
  const { value } = read;
  const parsed = testFileSchema.safeParse(value);
  if (!parsed.success) {
    const found = parsed.error.issues.flatMap((issue) => findingsOf(issue, value, document));
    return { source, document, diagnostics: sortDiagnostics(found) };
  }
  const diagnostics = repeatedNames(parsed.data, document);
  return { source, document, diagnostics, file: diagnostics.length === 0 ? parsed.data : undefined };
}

/** A mistake in a test file. */
export function finding(code: string, message: string, span: Span, help?: string): Diagnostic {
  const fix = help === undefined ? undefined : { title: help, edits: [] };
  return { rule: testFileRule, code, severity: 'error', message, span, fix };
}

/** Span of a place, as deep as the text goes. */
export function spanAt(document: Document.Parsed, place: Place, part: 'key' | 'value' = 'value'): Span {
  return yamlSpan(document, place, part) ?? { start: 0, end: 0 };
}

const explained: ReadonlyMap<string, string> = new Map([
  ['DUPLICATE_KEY', 'this key appears twice; keep one of them'],
  ['MULTIPLE_DOCS', 'a second document starts here; a test file has only one'],
  ['TAB_AS_INDENT', 'YAML is indented with spaces, not with tabs'],
]);

/** Message of the YAML library in the form of ours. */
function sentence(message: string): string {
  const [first = ''] = message.split('\n', 1);
  return first.charAt(0).toLowerCase() + first.slice(1).replace(/\.$/, '');
}

function plainValue(document: Document.Parsed): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: document.toJS() };
  } catch (error) {
    // An alias without an anchor, or aliases that multiply each other.
    return { problem: error instanceof Error ? sentence(error.message) : String(error) };
  }
}

function findingsOf(
  issue: z.core.$ZodIssue,
  value: unknown,
  document: Document.Parsed,
): readonly Diagnostic[] {
  const keys = unknownKeys(issue);
  if (keys.length > 0) return keys.map((key) => unknownKey(key, issue.path, document));
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined && issue.path.length > 0;
  const last = String(issue.path.at(-1));
  if (isMissing && typeof issue.path.at(-1) === 'string') {
    const owner = issue.path.slice(0, -1);
    const span = spanAt(document, owner, 'key');
    return [
      finding('missing_key', `${ownerText(owner)} needs the key \`${last}\``, firstLine(span, document)),
    ];
  }
  const message = `\`${placeText(issue.path)}\`: ${describeIssue(issue, value)}`;
  return [finding('value', message.replace(/^``: /, 'the file: '), spanAt(document, issue.path))];
}

function unknownKeys(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys;
  return issue.code === 'custom' && Array.isArray(issue.params?.keys) ? issue.params.keys.map(String) : [];
}

function unknownKey(key: string, place: Place, document: Document.Parsed): Diagnostic {
  const known = keysAt(place) ?? [];
  const nearest = nearestName(key, known);
  const help =
    nearest === undefined ? `known keys here: ${known.join(', ')}` : `did you mean \`${nearest}\`?`;
  const message = `unknown key \`${key}\` in ${ownerText(place)}`;
  return finding('unknown_key', message, spanAt(document, [...place, key], 'key'), help);
}

function ownerText(place: Place): string {
  return place.length === 0 ? 'the file' : `\`${placeText(place)}\``;
}

/** A place in words: `cases[0].expect.status`. */
export function placeText(place: Place): string {
  return place
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}

/** The beginning of a long part of the text, enough to find it. */
function firstLine({ start, end }: Span, document: Document.Parsed): Span {
  const [, last = end] = document.range;
  return { start, end: Math.min(end, last, start + 1) };
}

function repeatedNames({ cases }: TestFile, document: Document.Parsed): readonly Diagnostic[] {
  const seen = new Set<string>();
  return cases.flatMap(({ name }, index) => {
    const isRepeated = seen.has(name);
    seen.add(name);
    const span = spanAt(document, ['cases', index, 'name']);
    return isRepeated ? [finding('repeated_name', `another case is called \`${name}\` too`, span)] : [];
  });
}
