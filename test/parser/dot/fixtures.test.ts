import { describe, expect, test } from 'vitest';
import { hasErrors } from '../../../src/diagnostic/diagnostic.js';
import { parseDot } from '../../../src/parser/dot/parse.js';
import { expectDiagnostics, fixturesIn } from '../../support/fixtures.js';

const fixtures = fixturesIn('syntax');

describe('findings stand where the fixture expects them, and nowhere else', () => {
  test.each(fixtures)('$name', (fixture) => {
    expectDiagnostics(fixture, parseDot(fixture.text).diagnostics);
  });
});

describe('a fixture called ok-… holds a graph without mistakes', () => {
  test.each(fixtures.filter(({ name }) => name.includes('/ok-')))('$name', ({ text }) => {
    const { document, diagnostics } = parseDot(text);
    expect(hasErrors(diagnostics)).toBe(false);
    expect(document.graph?.statements.length).toBeGreaterThan(0);
  });
});
