import { ebnfOf, languages } from '../grammar/languages.js';

/** `docs/grammar.md`: the grammars of `grammar/`, on one page. */
export function grammarReference(): string {
  return [
    '# Grammar',
    '',
    '<!-- Rendered from the productions in src/parser: `npx vitest run test/docs -u` renews this page. -->',
    '',
    'A pipeline is written in a subset of Graphviz DOT, and three small languages live inside of its strings: conditions, model',
    'stylesheets, and values. These are their grammars, also as files in [grammar/](../grammar/); tests hold them against the parsers.',
    'What the texts mean is in [pipelines.md](pipelines.md), and what was decided where the specification is silent in',
    '[semantics.md](semantics.md). For editors there is a TextMate grammar,',
    '[attractor.tmLanguage.json](../grammar/attractor.tmLanguage.json).',
    '',
    ...languages.flatMap((language) => [
      `## ${headings[language.name] ?? language.name}`,
      '',
      '```ebnf',
      ebnfOf(language).trimEnd(),
      '```',
      '',
    ]),
  ].join('\n');
}

const headings: Readonly<Record<string, string>> = {
  dot: 'Pipelines',
  condition: 'Conditions',
  stylesheet: 'Stylesheets',
  template: 'Values',
};
