import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { Stage } from '../../../src/handlers/handler.js';
import { readJournal } from '../../../src/journal/journal.js';
import type { RunEvent } from '../../../src/machine/event.js';
import type { Outcome } from '../../../src/machine/outcome.js';
import { foldJournal } from '../../../src/run/recorded-session.js';
import {
  fileOf,
  jsonOf,
  type PipelineRun,
  pipeline,
  programOf,
  resumePipeline,
  runOnDisk,
  type Setup,
} from '../../run/harness.js';
import { checkpointAsRead } from '../../support/checkpoint-as-read.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

// Some hundred runs, one after the other: on a busy machine they take their time.
vi.setConfig({ testTimeout: 300_000 });

interface Scenario {
  readonly name: string;
  readonly dot: string;
  /** What an attempt comes to, by `node#visit.attempt`; all others succeed. */
  readonly outcomes?: Readonly<Record<string, Outcome>>;
  readonly answers?: Setup['answers'];
  /** The path without start and exit. */
  readonly path: string;
}

const fail: Outcome = { status: 'fail', failure_reason: 'red' };
const retry: Outcome = { status: 'retry', failure_reason: 'not yet' };
const work = 'node [type=work]';

const scenarios: readonly Scenario[] = [
  {
    name: 'a line with a context that grows',
    dot: pipeline(work, 'a', 'b', 'c', 'start -> a -> b -> c -> exit'),
    outcomes: {
      'a#1.1': { status: 'success', context_updates: { list: [1], a: 'x' } },
      'b#1.1': { status: 'partial_success', notes: 'nearly', context_updates: { list: [1, 2] } },
      'c#1.1': { status: 'skipped' },
    },
    path: 'a b c',
  },
  {
    name: 'a diamond that sends back, twice',
    dot: pipeline(
      ...[
        work,
        'implement',
        'validate',
        'd [shape=diamond, type=conditional]',
        'start -> implement -> validate -> d',
      ],
      ...['d -> exit [condition="outcome=success"]', 'd -> implement [condition="outcome!=success"]'],
    ),
    outcomes: { 'validate#1.1': fail, 'validate#2.1': { ...fail, context_updates: { hint: 'look' } } },
    path: 'implement validate d implement validate d implement validate d',
  },
  {
    name: 'retries with back-off, one of which runs out',
    dot: pipeline(
      ...[work, 'a [max_retries=3, retry_policy=patient]', 'b [max_retries=1, allow_partial=true]'],
      'start -> a -> b -> exit',
    ),
    outcomes: { 'a#1.1': retry, 'a#1.2': fail, 'a#1.3': retry, 'b#1.1': retry, 'b#1.2': retry },
    path: 'a b',
  },
  {
    name: 'a human gate that is answered twice',
    dot: pipeline(
      ...['g [shape=hexagon, label="Ship?", human.default_choice="nonsense"]', work, 'fix', 'start -> g'],
      ...['g -> exit [label="[A] Approve"]', 'g -> fix [label="[F] Fix"]', 'fix -> g'],
    ),
    answers: { g: ['F', 'Approve'] },
    path: 'g fix g',
  },
  {
    name: 'a goal gate that sends the run back',
    dot: pipeline(
      ...[
        'retry_target=nobody',
        'fallback_retry_target=a',
        work,
        'a',
        'b',
        'g [goal_gate=true, on_failure=continue]',
      ],
      'start -> a -> g -> b -> exit',
    ),
    outcomes: { 'g#1.1': fail, 'a#2.1': { status: 'success', context_updates: { second: true } } },
    path: 'a g b a g b',
  },
  {
    name: 'jumps to retry targets',
    dot: pipeline(work, 'a', 'b [retry_target=a]', 'start -> a -> b -> exit'),
    outcomes: { 'b#1.1': fail, 'b#2.1': fail },
    path: 'a b a b a b',
  },
];

/** How a run is cut off: what then is on the disk. */
interface Image {
  readonly name: string;
  readonly directory: string;
  /** The events that its journal has. */
  readonly events: readonly RunEvent[];
}

interface Recorded {
  readonly run: PipelineRun;
  /** `node#visit.attempt` of everything that was executed. */
  readonly executed: readonly string[];
}

async function record(
  { outcomes = {}, answers }: Scenario,
  execute: (setup: Setup) => Promise<PipelineRun>,
  onEvent?: (event: RunEvent) => void,
): Promise<Recorded> {
  const executed: string[] = [];
  const perform = ({ node, visit, attempt }: Stage): Outcome => {
    const key = `${node.id}#${visit}.${attempt}`;
    executed.push(key);
    return outcomes[key] ?? { status: 'success' };
  };
  const handlers = { work: perform, conditional: perform, start: perform, exit: perform };
  const run = await execute({ handlers, ...(answers && { answers }), ...(onEvent && { onEvent }) });
  return { run, executed };
}

/** What must not depend on whether the run was cut off. */
function essence({ result, directory }: PipelineRun) {
  const { status, quality, failure_reason, completed_nodes, steps, visits, context } = result;
  const { node_outcomes, node_retries, current_node, next_node, logs } = jsonOf(directory, 'checkpoint.json');
  const checkpoint = { node_outcomes, node_retries, current_node, next_node };
  return {
    ...{
      status,
      quality,
      failure_reason,
      path: result.path,
      completed_nodes,
      steps,
      visits,
      context,
      checkpoint,
    },
    // A stage that runs again may say again what is worth an entry.
    logs: [...new Set(logs)],
  };
}

/** A finished run, and what was on the disk at each of its events. */
async function runWithImages(scenario: Scenario): Promise<Recorded & { readonly images: readonly Image[] }> {
  const home = temporaryDirectory();
  const directory = path.join(home, 'run');
  const images: Image[] = [];
  const whole = await record(
    scenario,
    (setup) => runOnDisk(scenario.dot, { ...setup, runDirectory: directory }),
    (event) => {
      const name = `at the event ${event.seq}, ${event.type}`;
      const image = path.join(home, `image-${event.seq}`);
      cpSync(directory, image, { recursive: true });
      rmSync(path.join(image, 'lock'));
      images.push({ name, directory: image, events: readJournal(path.join(image, 'events.jsonl')).events });
    },
  );
  const lines = fileOf(directory, 'events.jsonl').split('\n').slice(0, -1);
  for (let kept = 0; kept <= lines.length; kept += 1) {
    const image = path.join(home, `prefix-${kept}`);
    cpSync(directory, image, { recursive: true });
    const text = lines.slice(0, kept).map((line) => `${line}\n`);
    writeFileSync(path.join(image, 'events.jsonl'), text.join(''));
    const name = `with ${kept} of ${lines.length} lines, before ${JSON.parse(lines[kept] ?? '{}').type ?? 'the end'}`;
    images.push({ name, directory: image, events: readJournal(path.join(image, 'events.jsonl')).events });
  }
  return { ...whole, images };
}

/** The attempts whose outcome a journal has. */
function settledIn(events: readonly RunEvent[]): ReadonlySet<string> {
  return new Set(
    events.flatMap((event) =>
      'outcome' in event ? [`${event.node_id}#${event.visit}.${event.attempt}`] : [],
    ),
  );
}

describe.each(scenarios)('11.12, 66: $name', (scenario) => {
  test('comes to the same wherever it was cut off', async () => {
    const { run, executed, images } = await runWithImages(scenario);
    expect(run.result.path.slice(1, -1).join(' ')).toBe(scenario.path);
    expect(run.result.status).toBe('success');
    const wanted = essence(run);
    const program = programOf(scenario.dot, ['work']);
    for (const image of images) {
      const resumed = await record(scenario, (setup) => {
        const { answers: _answers, ...rest } = setup; // The manifest has them.
        return resumePipeline(image.directory, rest);
      });
      expect.soft(essence(resumed.run), image.name).toEqual(wanted);

      const settled = settledIn(image.events);
      const allowed = executed.filter((key) => !settled.has(key));
      expect.soft(resumed.executed, `${image.name}: executed`).toEqual(allowed);

      const { directory } = resumed.run;
      const journal = readJournal(path.join(directory, 'events.jsonl'));
      const { timestamp: _timestamp, ...checkpoint } = jsonOf(directory, 'checkpoint.json');
      const folded = checkpointAsRead(foldJournal(program, journal, directory), checkpoint.graph_hash);
      expect.soft({ ...folded, timestamp: undefined }, image.name).toEqual(checkpoint);

      for (const id of new Set(run.result.path)) {
        const status = path.join(directory, id, 'status.json');
        expect.soft(existsSync(status), `${image.name}: ${id}/status.json`).toBe(true);
      }
    }
  });
});

test('11.12: a tool runs again only where it was cut off', async () => {
  const home = temporaryDirectory();
  const log = path.join(home, 'log');
  const tool = (id: string) =>
    `${id} [shape=parallelogram, tool_command="echo ${id} >> ${log}; echo out-${id}"]`;
  const dot = pipeline(tool('a'), tool('b'), 'start -> a -> b -> exit');
  const { result, directory } = await runOnDisk(dot, { runDirectory: path.join(home, 'run') });
  const lines = fileOf(directory, 'events.jsonl').split('\n').slice(0, -1);
  const settledAt = lines.findIndex(
    (line) => line.includes('"StageCompleted"') && line.includes('"node_id":"a"'),
  );
  for (const kept of [0, settledAt - 1, settledAt, settledAt + 1, lines.length - 1]) {
    const image = path.join(home, `prefix-${kept}`);
    cpSync(directory, image, { recursive: true });
    writeFileSync(
      path.join(image, 'events.jsonl'),
      lines
        .slice(0, kept)
        .map((line) => `${line}\n`)
        .join(''),
    );
    rmSync(log);
    const resumed = await resumePipeline(image);
    expect(resumed.result).toMatchObject({ status: 'success', path: result.path, context: result.context });
    const ran = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
    expect(ran).toEqual(kept <= settledAt ? ['a', 'b'] : kept === settledAt + 1 ? ['b'] : []);
    writeFileSync(log, '');
  }
});

test('11.12: an interrupted wait between attempts is waited out, not begun anew', async () => {
  const scenario = scenarios.find(({ name }) => name.startsWith('retries'));
  if (scenario === undefined) throw new Error('no scenario with retries');
  const { images } = await runWithImages(scenario);
  const waiting = images.find(({ name }) => name.endsWith('StageRetrying'));
  if (waiting === undefined) throw new Error('no image in a wait');
  const { run } = await record(scenario, (setup) => resumePipeline(waiting.directory, setup));
  expect(run.events.map(({ type }) => type).slice(0, 2)).toEqual(['PipelineResumed', 'StageStarted']);
});
