import { describe, expect, it } from 'vitest';
import { compile } from '../../src/compiler/compile.js';
import { corpusFiles } from './corpus.js';

/** Files outside the language, each with the code of its first syntax error; all others must be read in full. */
const refused = new Map([
  ['kilroy__demo__substack-spec-v01-ui.gv', 'html_string'],
  // A script of another language, with the pipeline in a string.
  ['kilroy__docs__strongdm__dot_specs__simple_example_integration_smoke_test.dot', 'missing_digraph'],
  ['tracker__pipeline__testdata__cycle.dot', 'missing_comma'],
  ['tracker__pipeline__testdata__diamond.dot', 'missing_comma'],
  ['tracker__pipeline__testdata__simple.dot', 'missing_comma'],
]);

const files = corpusFiles();

describe.skipIf(files.length === 0)('a pipeline of the corpus', () => {
  it.each(files)('is read, or refused for the known reason: $name', ({ name, text, nodes, edges }) => {
    const { graph, diagnostics } = compile(text, { name });
    const syntaxError = diagnostics.find(({ rule, severity }) => rule === 'syntax' && severity === 'error');
    expect(syntaxError?.code).toBe(refused.get(name));
    if (syntaxError === undefined) {
      expect({ nodes: graph.nodes.size, edges: graph.edges.length }).toEqual({ nodes, edges });
    }
  });

  it.each(files)('has diagnostics that point into it: $name', ({ name, text }) => {
    const outside = compile(text, { name }).diagnostics.filter(
      ({ span }) => span.start < 0 || span.start > span.end || span.end > text.length,
    );
    expect(outside).toEqual([]);
  });
});
