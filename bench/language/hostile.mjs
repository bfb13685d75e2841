/** Texts on which parsers overflow or take quadratic time, by what is odd about them. */
export function* hostileTexts() {
  const inGraph = (body) => `digraph G {\n${body}\n}\n`;
  yield ['100 000 levels of nesting', inGraph(`${'subgraph s {'.repeat(100_000)}${'}'.repeat(100_000)}`)];
  yield [
    'a chain of a million edges',
    inGraph(Array.from({ length: 1_000_001 }, (_, index) => `n${index}`).join(' -> ')),
  ];
  yield ['100 000 missing commas', inGraph('a [x=1 y=2]\n'.repeat(100_000))];
  yield ['100 000 missing values', inGraph('a [x=]\n'.repeat(100_000))];
  yield ['100 000 attributes in a block', inGraph(`a [${'x=1, '.repeat(100_000)}y=2]`)];
  yield ['an open comment before 10 MB', `digraph G {\n/* ${'a [label="x"]\n'.repeat(700_000)}`];
  yield ['an open string before 10 MB', `digraph G {\na [label="x]\n${'b [label="y"]\n'.repeat(700_000)}}`];
  yield ['a string of 10 MB', inGraph(`a [prompt="${'word '.repeat(2_000_000)}"]`)];
  yield ['a string of 5 million escapes', inGraph(`a [prompt="${'\\\\n'.repeat(2_500_000)}"]`)];
  yield ['30 000 open comments', `digraph G {${'/* '.repeat(30_000)}`];
}
