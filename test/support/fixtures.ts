import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';
import { SourceText } from '../../src/diagnostic/source.js';

const root = path.join(import.meta.dirname, '../..', 'fixtures');

/** A `.dot` file below `fixtures/`; its name is its path from there, with slashes. */
export interface Fixture {
  readonly name: string;
  readonly text: string;
}

export function fixturesIn(folder: string): readonly Fixture[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.dot'))
    .map((file) => `${folder}/${file.split(path.sep).join('/')}`)
    .sort()
    .map((name) => ({ name, text: readFileSync(path.join(root, name), 'utf8') }));
}

/**
 * Holds a fixture against its own expectations: a comment `//~ rule/code column: part of the message` at the line of each
 * diagnostic, or on a later line as `//~^ …` with one caret per line up. Code and column may be left out. A diagnostic
 * that is missing and one that nobody expects both fail.
 */
export function expectDiagnostics(fixture: Fixture, diagnostics: readonly Diagnostic[]): void {
  expect(differences(fixture, diagnostics).join('\n')).toBe('');
  expect(textsOf(diagnostics).filter((text) => !isInStyle(text))).toEqual([]);
}

function textsOf(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.flatMap(({ message, fix }) => (fix === undefined ? [message] : [message, fix.title]));
}

/** Messages and titles of fixes begin in lower case, names and abbreviations apart, and end without a full stop. */
function isInStyle(text: string): boolean {
  return !/^[A-Z][a-z]|\.$/.test(text);
}

interface Expectation {
  readonly line: number;
  readonly rule: string;
  readonly code: string | undefined;
  readonly column: number | undefined;
  readonly message: string;
}

const marker = /\/\/~(.*)$/;
const expectation = /^(\^*)\s*([a-z_]+)(?:\/([a-z_]+))?(?:\s+(\d+))?:\s*(\S.*?)\s*$/;

function differences({ name, text }: Fixture, diagnostics: readonly Diagnostic[]): readonly string[] {
  const source = new SourceText(name, text);
  const surplus = new Set(diagnostics);
  const missing: string[] = [];
  for (const expected of expectationsOf(text)) {
    const found = [...surplus].find((diagnostic) => meets(diagnostic, expected, source));
    if (found === undefined) missing.push(`missing: ${name}:${describe(expected)}`);
    else surplus.delete(found);
  }
  const unexpected = [...surplus].map((diagnostic) => {
    const { line, column } = source.positionAt(diagnostic.span.start);
    return `surplus: ${name}:${describe({ ...diagnostic, line, column, code: diagnostic.code })}`;
  });
  return [...missing, ...unexpected];
}

function expectationsOf(text: string): readonly Expectation[] {
  return text.split(/\r?\n/).flatMap((lineText, index) => {
    const marked = marker.exec(lineText);
    if (marked === null) return [];
    const [, carets = '', rule = '', code, column, message = ''] = expectation.exec(marked[1] ?? '') ?? [];
    if (rule === '') throw new Error(`line ${index + 1}: not an expectation: ${lineText}`);
    return [
      {
        line: index + 1 - carets.length,
        rule,
        code,
        column: column === undefined ? undefined : Number(column),
        message,
      },
    ];
  });
}

function meets(diagnostic: Diagnostic, expected: Expectation, source: SourceText): boolean {
  const { line, column } = source.positionAt(diagnostic.span.start);
  return (
    line === expected.line &&
    diagnostic.rule === expected.rule &&
    (expected.code === undefined || diagnostic.code === expected.code) &&
    (expected.column === undefined || column === expected.column) &&
    diagnostic.message.includes(expected.message)
  );
}

function describe({ line, column, rule, code, message }: Expectation): string {
  const kind = code === undefined ? rule : `${rule}/${code}`;
  return `${line} ${kind}${column === undefined ? '' : ` ${column}`}: ${message}`;
}
