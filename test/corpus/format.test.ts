import { describe, expect, it } from 'vitest';
import { format } from '../../src/format/format.js';
import { readByGraphviz } from '../format/graphviz.js';
import { commentsOf, drawingOf, meaningOf } from '../format/meaning.js';
import { corpusFiles } from './corpus.js';

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
