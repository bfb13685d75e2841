import { ebnfOf, languages } from '../grammar/languages.js';

/** `docs/grammar.md`: the grammars of `grammar/`, on one page. */
export function grammarReference(): string {
  return [
    '# Grammar',
    '',
    '<!-- Rendered from the productions in src/parser: `npx vitest run test/docs -u` renews this page. -->',
    '',
    'Pipelines are written in a subset of Graphviz DOT, and their strings contain small languages: conditions, model stylesheets, lists',
    'of keys, properties of runs, and values. The grammars on this page are also files in [grammar/](../grammar/); tests compare them with',
    'the parsers. [pipelines.md](pipelines.md) explains the meaning of each language, [properties.md](properties.md) that of properties.',
    'In the comments, § is a section of the Attractor specification, and SEMANTICS a row (or §, a section) of',
    '[semantics.md](semantics.md), which has the decisions of this project. Editors can use the TextMate grammar',
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
  'key-list': 'Lists of keys',
  property: 'Properties of runs',
  template: 'Values',
};
