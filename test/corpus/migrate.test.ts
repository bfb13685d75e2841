import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { migrate } from '../../src/importers/migrate.js';
import { corpusFiles } from './corpus.js';
import { hasSamples, sampleNames, sampleText } from './samples.js';

const files = corpusFiles();

/** Files that no tool would run as a pipeline. */
const refused: ReadonlyMap<string, string> = new Map([
  ['kilroy__demo__substack-spec-v01-ui.gv', 'a drawing of a user interface'],
  [
    'kilroy__docs__strongdm__dot_specs__simple_example_integration_smoke_test.dot',
    'a script in another language',
  ],
]);

describe.skipIf(files.length === 0)('a pipeline of another tool', () => {
  it.each(files.filter(({ name }) => !refused.has(name)))(
    'has no errors after it was migrated, and nothing is left to migrate: $name',
    ({ name, text }) => {
      const result = migrate(text)?.result;
      if (result?.kind !== 'migrated') throw new Error('not migrated');
      const errors = compile(result.text, { name }).diagnostics.filter(
        ({ severity }) => severity === 'error',
      );
      expect(errors).toEqual([]);
      const again = migrate(result.text)?.result;
      expect(again).toMatchObject({ kind: 'migrated', text: result.text });
    },
  );

  it.each(files.filter(({ name }) => !refused.has(name)))(
    'keeps its comments, and has one for each loss: $name',
    ({ text }) => {
      const result = migrate(text)?.result;
      if (result?.kind !== 'migrated') throw new Error('not migrated');
      const comments = text.match(/^\s*\/\/.*$/gm) ?? [];
      const kept = new Set((result.text.match(/^\s*\/\/.*$/gm) ?? []).map((line) => line.trim()));
      expect(comments.filter((line) => !kept.has(line.trim()))).toEqual([]);
      const unsaid = result.notes.filter(
        ({ kind, message }) => kind !== 'rewritten' && !result.text.includes(message.replaceAll(/\s+/g, ' ')),
      );
      expect(unsaid).toEqual([]);
    },
  );

  it.each(files.filter(({ name }) => refused.has(name)))('is refused: $name', ({ text }) => {
    expect(migrate(text)?.result.kind ?? 'unreadable').toBe('unreadable');
  });
});

/** Files that have no graph, each with the reason. */
const withoutGraph: ReadonlyMap<string, string> = new Map([
  ['artifact_demo@8b0ddea.json', 'metadata'],
  ['email_reply_agent@2721bfe.json', 'metadata'],
  ['ex-cyber_energy_agent@2d5ad34.json', 'metadata'],
  ['ex-vendor_onboarding_policy@49d897e.json', 'metadata'],
  ['personal_loan_manager@8997110.json', 'metadata'],
  ['invalid_agent@a97715d.json', 'not JSON'],
]);

const structured = ['rye/yaml', 'hive/agents'].flatMap((path) =>
  sampleNames(path).map((name) => ({ name, path: `${path}/${name}` })),
);

describe.skipIf(!hasSamples)('a real graph of Rye or Hive', () => {
  it.each(structured.filter(({ name }) => !withoutGraph.has(name)))(
    'has no errors after it was migrated: $path',
    ({ path }) => {
      const result = migrate(sampleText(path))?.result;
      if (result?.kind !== 'migrated') throw new Error('not migrated');
      const { diagnostics } = compile(result.text);
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      for (const { message } of result.notes) expect(result.text).toContain(message.replaceAll(/\s+/g, ' '));
    },
  );

  it.each(structured.filter(({ name }) => withoutGraph.has(name)))('is refused: $path', ({ path }) => {
    expect(migrate(sampleText(path))?.result.kind ?? 'unreadable').toBe('unreadable');
  });
});
