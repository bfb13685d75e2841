import { describe, expect, it } from 'vitest';
import { format } from '../../src/format/format.js';
import { migrate } from '../../src/importers/migrate.js';
import { readByGraphviz } from '../format/graphviz.js';
import { commentsOf, drawingOf, meaningOf } from '../format/meaning.js';
import { corpusFiles } from './corpus.js';
import { hasSamples, sampleNames, sampleText } from './samples.js';

const files = corpusFiles().filter(({ text }) => format(text).text !== undefined);

describe.skipIf(files.length === 0)('98: a formatted pipeline of the corpus', () => {
  it.each(files)('says the same, keeps its comments, and is read by Graphviz: $name', ({ text }) => {
    const formatted = format(text).text ?? '';
    expect(meaningOf(formatted)).toEqual(meaningOf(text));
    expect(commentsOf(formatted)).toEqual(commentsOf(text));
    expect(format(formatted).text).toBe(formatted);
    expect(readByGraphviz(formatted)).toEqual(drawingOf(text));
  });
});

/** Texts that `migrate` makes of the real graphs of Rye and Hive. */
const migrated = !hasSamples
  ? []
  : ['rye/yaml', 'hive/agents'].flatMap((folder) =>
      sampleNames(folder).flatMap((name) => {
        const result = migrate(sampleText(`${folder}/${name}`))?.result;
        return result?.kind === 'migrated' ? [{ path: `${folder}/${name}`, text: result.text }] : [];
      }),
    );

describe.skipIf(!hasSamples)('98: a migrated graph of Rye or Hive', () => {
  it('is there', () => expect(migrated.length).toBeGreaterThan(70));

  it.each(migrated)(
    'formatted says the same, keeps its comments, and is read by Graphviz: $path',
    ({ text }) => {
      const formatted = format(text).text;
      if (formatted === undefined) throw new Error('not formatted');
      expect(meaningOf(formatted)).toEqual(meaningOf(text));
      expect(commentsOf(formatted)).toEqual(commentsOf(text));
      expect(format(formatted).text).toBe(formatted);
      expect(readByGraphviz(formatted)).toEqual(drawingOf(text));
    },
  );
});
