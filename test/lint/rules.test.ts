import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { exampleFiles, isExampleInstalled } from '../../src/cli/explain/example-files.js';
import { compile } from '../../src/compiler/compile.js';
import type { Diagnostic } from '../../src/diagnostic/diagnostic.js';
import { readingRules } from '../../src/lint/reading-rules.js';
import { builtInRules } from '../../src/lint/rules/index.js';
import { checkShell } from '../../src/setup/check-shell.js';
import { expectDiagnostics, fixturesIn } from '../support/fixtures.js';
import { applyEdits } from './apply-edits.js';

const fixtures = fixturesIn('lint');
/** One file a rule, in folders by subject. */
const ruleFiles = readdirSync(new URL('../../src/lint/rules/', import.meta.url), { recursive: true })
  .map((file) => path.basename(file.toString()))
  .filter((file) => file.endsWith('.ts') && file !== 'index.ts');
/** Those that are checked while a text becomes a graph, and of its comments. */
const loweringRules = readingRules.filter(({ saidBy }) => saidBy === 'lowering' || saidBy === 'comments');

describe('every rule', () => {
  it.each(builtInRules.map((rule) => rule.name))('%s has a file', (name) => {
    expect(ruleFiles).toContain(`${name.replaceAll('_', '-')}.ts`);
  });

  it.each([...builtInRules, ...loweringRules].map((rule) => rule.name))(
    '%s has a bad and a good fixture',
    (name) => {
      const own = fixtures.filter((fixture) => fixture.name.startsWith(`lint/${name}/`));
      expect(
        own.some((fixture) => /\/bad[^/]*$/.test(fixture.name) && fixture.text.includes(`//~ ${name}`)),
      ).toBe(true);
      expect(own.some((fixture) => /\/good[^/]*$/.test(fixture.name))).toBe(true);
    },
  );

  it('has a name of its own, a summary and a rationale', () => {
    const all = [...builtInRules, ...readingRules];
    expect(new Set(all.map((rule) => rule.name)).size).toBe(all.length);
    for (const { name, summary, rationale } of all) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(summary).toMatch(/^[A-Z].*\.$/);
      expect(rationale).toMatch(/^[A-Z`].*\.$/);
    }
  });

  it('is listed: no file and no fixture folder belongs to a rule that nobody runs', () => {
    const listed = builtInRules.map((rule) => rule.name).sort();
    const files = ruleFiles.map((file) => file.replace(/\.ts$/, '').replaceAll('-', '_'));
    expect(files.sort()).toEqual(listed);
    const withFixtures = [...listed, ...loweringRules.map((rule) => rule.name)];
    expect(readdirSync(new URL('../../fixtures/lint/', import.meta.url)).sort()).toEqual(withFixtures.sort());
  });
});

describe('fixtures', () => {
  it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))('%s', (name, fixture) => {
    const { diagnostics } = compile(fixture.text, {
      name,
      checkShell,
      isInstalled: isExampleInstalled,
      files: exampleFiles,
    });
    expectDiagnostics(fixture, diagnostics);
    if (/\/good[^/]*$/.test(name)) expect(diagnostics).toEqual([]);
  });
});

describe('fixes', () => {
  const fixable = fixtures.filter((fixture) => editsFor(fixture.text).length > 0);

  it.each(fixable.map((fixture) => [fixture.name, fixture.text] as const))(
    'of %s do away with it',
    (_, text) => {
      const fixed = applyEdits(text, editsFor(text));
      expect(editsFor(fixed)).toEqual([]);
      expect(errorsIn(fixed)).toBeLessThanOrEqual(errorsIn(text));
    },
  );

  it('are made by the rules that say so, and by no other', () => {
    const all = [...builtInRules, ...readingRules].filter(({ name }) => name !== 'syntax');
    const making = fixtures.flatMap(({ text }) => findingsIn(text).filter(hasEdits));
    expect([...new Set(making.map(({ rule }) => rule))].sort()).toEqual(
      all
        .filter(({ fixable }) => fixable)
        .map(({ name }) => name)
        .sort(),
    );
  });
});

function hasEdits({ fix }: Diagnostic): boolean {
  return fix !== undefined && fix.edits.length > 0;
}

const found = new Map<string, readonly Diagnostic[]>();

/** Findings in a text, of which each is compiled once. */
function findingsIn(text: string): readonly Diagnostic[] {
  const findings = found.get(text) ?? compile(text).diagnostics;
  found.set(text, findings);
  return findings;
}

function editsFor(text: string) {
  return findingsIn(text).flatMap(({ fix }) => fix?.edits ?? []);
}

function errorsIn(text: string): number {
  return findingsIn(text).filter(({ severity }) => severity === 'error').length;
}
