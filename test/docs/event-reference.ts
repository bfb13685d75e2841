import { budgetEvents } from '../../src/journal/event-schema/budget.js';
import { controlEvents } from '../../src/journal/event-schema/control.js';
import { interviewEvents } from '../../src/journal/event-schema/interview.js';
import { parallelEvents } from '../../src/journal/event-schema/parallel.js';
import { pipelineEvents } from '../../src/journal/event-schema/pipeline.js';
import { progressEvents } from '../../src/journal/event-schema/progress.js';
import { stage, stageEvents } from '../../src/journal/event-schema/stage.js';
import type { RunEvent } from '../../src/machine/event.js';
import { eventJsonSchema, type JsonSchema } from './event-json-schema.js';
import { sampleJournals } from './sample-runs.js';

const sections: readonly (readonly [
  title: string,
  intro: string,
  events: Readonly<Record<string, object>>,
])[] = [
  ['The run', 'Start, pauses and end of a run.', pipelineEvents()],
  ['Stages', 'Every attempt of a stage begins with `StageStarted`.', stageEvents()],
  ['Models and agents', 'Progress of an LLM stage. Not every backend reports all of it.', progressEvents()],
  ['Budgets', 'A [budget](budgets.md) is nearly or entirely used up.', budgetEvents()],
  ['Between the stages', 'Routing, restarts, checkpoints and log messages.', controlEvents()],
  [
    'Parallel branches',
    'A parallel node is a stage too; its branches have events of their own.',
    parallelEvents(),
  ],
  ['Questions', 'Questions to people, and their answers.', interviewEvents()],
];

const values = ['Outcome', 'FileReference', 'Usage', 'Question', 'QuestionOption', 'Answer'];

const headerFields = ['type', 'seq', 'timestamp', 'run_id', 'description'];
const stageFields = Object.keys(stage);

/** `docs/events.md`: the schema of events as a page, with a line of a journal for each type. */
export async function eventReference(): Promise<string> {
  const { $defs = {} } = eventJsonSchema();
  const samples = (await sampleJournals()).flat();
  return [
    '# Events',
    '',
    '<!-- Rendered from src/journal/event-schema: `npx vitest run test/docs -u` renews this page. -->',
    '',
    'Everything that happens in a run is an event. Events are the lines of the journal `events.jsonl` and of `run --events`, and the',
    '[library](library.md#events) passes them to observers and loops. The state of a run follows from its events alone.',
    '[events.schema.json](events.schema.json) is this page as JSON Schema 2020-12.',
    '',
    'Each line of a journal ends with a `hash`: the SHA-256, in hexadecimal, of the hash of the previous line followed by the JSON text of',
    'the event without its own hash. The first line has no previous hash.',
    '',
    'A field with `?` may be missing; no field is ever `null`, although values that come from a pipeline or its stages may be. Later',
    'versions may add fields and types: programs should ignore those that they do not know. `attractor` itself refuses to resume a run',
    'whose journal has unknown fields or types, because ignoring them could change the run.',
    '',
    '## All events',
    '',
    ...fieldTable($defs.PipelineStarted, (name) => headerFields.includes(name)),
    '## Events of a stage',
    '',
    'Events that belong to a stage also have these fields. Their descriptions below say *stage event*.',
    '',
    ...fieldTable($defs.StageCompleted, (name) => stageFields.includes(name)),
    ...sections.flatMap(([title, intro, events]) => [
      `## ${title}`,
      '',
      intro,
      '',
      ...Object.keys(events).flatMap((type) => typeSection(type, $defs[type], samples)),
    ]),
    '## Values',
    '',
    ...values.flatMap((name) => [
      `### ${name}`,
      '',
      $defs[name]?.description ?? '',
      '',
      ...fieldTable($defs[name], () => true),
    ]),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function typeSection(
  type: string,
  schema: JsonSchema | undefined,
  samples: readonly RunEvent[],
): readonly string[] {
  const sample = samples.find((event) => event.type === type);
  if (schema === undefined || sample === undefined) throw new Error(`there is no sample of ${type}`);
  const isStage = stageFields.every((name) => schema.properties?.[name] !== undefined);
  const common = isStage ? [...headerFields, ...stageFields] : headerFields;
  const own = Object.keys(schema.properties ?? {}).filter((name) => !common.includes(name));
  return [
    `### ${type}`,
    '',
    `${schema.description ?? ''}${isStage ? ' *Stage event.*' : ''}`,
    '',
    ...(own.length === 0 ? [] : fieldTable(schema, (name) => own.includes(name))),
    '```json',
    JSON.stringify(sample, firstOfMany),
    '```',
    '',
  ];
}

/** First items of a long list: a page shows no more of them. */
function firstOfMany(_key: string, value: unknown): unknown {
  return Array.isArray(value) && value.length > 20 ? value.slice(0, 2) : value;
}

function fieldTable(schema: JsonSchema | undefined, isWanted: (name: string) => boolean): readonly string[] {
  const { properties = {}, required = [] } = schema ?? {};
  const rows = Object.entries(properties).filter(([name]) => isWanted(name));
  return [
    '| field | type | meaning |',
    '|---|---|---|',
    ...rows.map(([name, field]) => {
      const shown = `\`${name}${required.includes(name) ? '' : '?'}\``;
      return `| ${shown} | ${typeOf(field)} | ${(field.description ?? '').replaceAll('|', '\\|')} |`;
    }),
    '',
  ];
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return refOf(schema.$ref);
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${word}\``).join(', ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.format === 'date-time') return 'date and time';
  return schema.type ?? 'any';
}

function refOf(ref: string): string {
  const name = ref.replace('#/$defs/', '');
  return `[${name}](#${name.toLowerCase()})`;
}
