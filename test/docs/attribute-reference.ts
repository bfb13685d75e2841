import { durationText } from '../../src/cli/explain/duration-text.js';
import type { AttributeDefinition } from '../../src/graph/attribute-tables/attribute-definition.js';
import { type AttributeOwner, attributeDefinition, attributeNames } from '../../src/graph/attributes.js';

const owners: readonly (readonly [owner: AttributeOwner, title: string, where: string])[] = [
  ['graph', 'Graph', 'Written as `graph [goal="…"]`, or as a statement: `goal="…"`.'],
  ['node', 'Node', 'Written after an id, or for all nodes declared later: `node [timeout="10m"]`.'],
  ['edge', 'Edge', 'Written after a chain of edges, or for all edges that follow: `edge [weight=1]`.'],
];

/** `docs/attributes.md`: the tables of `src/graph/attribute-tables` as a page. */
export function attributeReference(): string {
  return [
    '# Attributes',
    '',
    '<!-- Rendered from src/graph/attribute-tables: `npx vitest run test/docs -u` renews this page. -->',
    '',
    'All attributes of the language. [pipelines.md](pipelines.md) and [values.md](values.md) show them in use. Graphviz attributes',
    '(`rankdir`, `color`, `fontname`, …) are allowed everywhere and only change the drawing. Any other attribute has no effect, except',
    'that a handler of a plugin may read it.',
    '',
    'Attributes that take `${path}` can contain values of the run, such as `${context.plan}` or `${result.notes}`. In a command,',
    'the shell receives the value as a variable, so that it is always a single argument and never executed',
    '([values at run time](pipelines.md#values-at-run-time)).',
    '',
    'A *duration* is a number with `ms`, `s`, `m`, `h` or `d`; a bare number is seconds. The last column has the section (§) of the',
    'Attractor specification that defines the attribute, or the row or section of [semantics.md](semantics.md), which has the decisions',
    'and additions of this project.',
    '',
    ...owners.flatMap(([owner, title, where]) => [
      `## ${title}`,
      '',
      where,
      '',
      '| attribute | type | default | meaning | defined in |',
      '|---|---|---|---|---|',
      ...attributeNames(owner).map((name) => rowOf(name, attributeDefinition(owner, name))),
      '',
    ]),
  ].join('\n');
}

function rowOf(name: string, definition: AttributeDefinition | undefined): string {
  if (definition === undefined) throw new Error(`${name} is listed and not defined`);
  const { type, doc, section } = definition;
  const cells = [
    `\`${name}\``,
    type,
    defaultOf(definition),
    `${doc}${valuesOf(definition)}${templateOf(definition)}`,
    definedIn(section),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function definedIn(section: string): string {
  return section.startsWith('SEMANTICS')
    ? section.replace('SEMANTICS', '[semantics](semantics.md)')
    : section;
}

function defaultOf({ type, default: value }: AttributeDefinition): string {
  if (type === 'duration' && value !== undefined) return `\`${durationText(Number(value))}\``;
  return value === undefined || value === '' ? '' : `\`${value}\``;
}

function valuesOf({ values, minimum }: AttributeDefinition): string {
  if (values !== undefined) return ` One of ${values.map((value) => `\`${value}\``).join(', ')}.`;
  return minimum === undefined ? '' : ` At least ${minimum}.`;
}

function templateOf({ template }: AttributeDefinition): string {
  return template === undefined ? '' : ' Takes `${path}`.';
}
