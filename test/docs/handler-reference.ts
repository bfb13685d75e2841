import { attributeDefinition, attributeNames, attributesOfKind } from '../../src/graph/attributes.js';
import { handlerDetails } from '../../src/graph/handler-details.js';
import { handlerTypes } from '../../src/graph/handler-types.js';

/** `docs/handlers.md`: the kinds of stages, from `src/graph/handler-types.ts` and `handler-details.ts`. */
export function handlerReference(): string {
  return [
    '# Handlers',
    '',
    '<!-- Rendered from src/graph/handler-types.ts and src/graph/handler-details.ts:',
    '     `npx vitest run test/docs -u` renews this page. -->',
    '',
    'Every node is a stage of some type, and the handler of the type does its work. The `shape` of the node selects the type.',
    'The attribute `type` overrides the shape; types without a shape and types of [plugins](extending.md) need it.',
    'A node without either is a `codergen`. [pipelines.md](pipelines.md) shows the types in use, and',
    '[attributes.md](attributes.md) has all attributes.',
    '',
    '| shape | type | kind of stage |',
    '|---|---|---|',
    ...handlerTypes.map(
      (row) =>
        `| ${'shape' in row ? code(row.shape) : ''} | [${code(row.type)}](#${row.type.replaceAll(/[._]/g, (sign) => (sign === '.' ? '' : '_'))}) | ${row.title} |`,
    ),
    '',
    ...handlerTypes.flatMap(sectionOf),
    '## Every stage',
    '',
    `These attributes have the same meaning for every type: ${list(commonAttributes())}.`,
    '',
    'Every outcome may also have `context_updates`, a `preferred_label`, and `suggested_next_ids`. After each stage except a condition',
    'and the exit, the context has its `outcome`.',
    '',
  ].join('\n');
}

type Row = (typeof handlerTypes)[number];

function sectionOf(row: Row): readonly string[] {
  const { outcomes, writes } = handlerDetails[row.type];
  const attributes = attributesOfKind(row.type);
  return [
    `## ${row.type}`,
    '',
    `**${row.title}** · ${'shape' in row ? `\`shape=${row.shape}\`, or ` : ''}\`type="${row.type}"\``,
    '',
    row.summary,
    '',
    `- Outcome: ${outcomes}`,
    `- Retries: ${retriesOf(row)}`,
    `- Context: ${writes.length === 0 ? 'sets nothing.' : `sets ${list(writes)}.`}`,
    `- In a simulation: ${row.runsSimulated ? simulatedOf(row) : 'succeeds without any work, unless the script overrides it.'}`,
    `- On a [server](server-security.md#what-a-submitted-pipeline-may-do) without \`--allow-tools\`: ${policedOf(row)}`,
    '',
    ...(attributes.length === 0
      ? []
      : [
          '| attribute | type | meaning |',
          '|---|---|---|',
          ...attributes.map((name) => `| ${code(name)} | ${typeOf(name)} | ${docOf(name)} |`),
          '',
        ]),
  ];
}

function retriesOf({ instant, retriesFailure }: Row): string {
  if (retriesFailure) return 'a `retry`, and with `max_retries` a `fail` too.';
  return instant ? 'none.' : 'a `retry` only, never a `fail`.';
}

function simulatedOf({ llm, runsChild, type }: Row): string {
  if (llm) return 'no model is called; the answer says that it is simulated.';
  if (type === 'wait.human') return 'the first choice is taken, unless the script answers.';
  return runsChild ? 'runs its child, which is simulated too.' : 'as in a run.';
}

function policedOf({ harmless, runsCommand, mayAskModel, runsChild }: Row): string {
  if (harmless) return 'as anywhere.';
  if (runsCommand) return 'refused, since it runs a command.';
  const model = 'no coding agent does its work, and its model runs no commands';
  const child = 'its pipeline is judged like a posted one';
  return `${[mayAskModel ? [model] : [], runsChild ? [child] : []].flat().join('; ')}.`;
}

function commonAttributes(): readonly string[] {
  return attributeNames('node').filter((name) => attributeDefinition('node', name)?.kinds === undefined);
}

function typeOf(name: string): string {
  return attributeDefinition('node', name)?.type ?? '';
}

function docOf(name: string): string {
  return (attributeDefinition('node', name)?.doc ?? '').replaceAll('|', '\\|');
}

function list(names: readonly string[]): string {
  return names.map(code).join(', ');
}

function code(text: string): string {
  return `\`${text}\``;
}
