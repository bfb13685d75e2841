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
    'Every node is a stage, and the handler of its type does its work. The `shape` of the node selects the type; the attribute `type`',
    'overrides the shape, and is the only way to select types without a shape and those of [plugins](extending.md).',
    'A node with neither is a `codergen`. [pipelines.md](pipelines.md) shows the types in use, and',
    '[attributes.md](attributes.md) lists all attributes.',
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
    `These attributes mean the same for every type: ${list(commonAttributes())}.`,
    '',
    'Every outcome may also have `context_updates`, a `preferred_label` and `suggested_next_ids`. Updates to [keys of the engine and of other handlers](lint.md#key_writable) are ignored, with a warning. The context key `outcome` holds the',
    'outcome of the latest stage that is neither a condition nor the exit.',
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
    `- In a simulation: ${row.runsSimulated ? simulatedOf(row) : 'does nothing and succeeds, unless the script says otherwise.'}`,
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
  if (retriesFailure)
    return 'after a `retry` or a temporary `fail`; with `max_retries`, after any `fail` that is not final.';
  return instant ? 'none.' : 'after a `retry`, never after a `fail`.';
}

function simulatedOf({ llm, mayAskModel, runsChild, type }: Row): string {
  if (llm) return 'no model is called; the response says that it is simulated.';
  if (type === 'wait.human') return 'takes the first choice, unless the script answers.';
  if (runsChild) return 'runs its child, which is simulated too.';
  return mayAskModel ? 'same as in a run, but no model is called.' : 'same as in a run.';
}

function policedOf({ harmless, runsCommand, mayAskModel, runsChild }: Row): string {
  if (harmless) return 'allowed.';
  if (runsCommand) return 'refused, because it runs a command.';
  const model = 'coding agents are refused, and its model cannot run commands';
  const child = 'its child pipeline is checked like a submitted one';
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
