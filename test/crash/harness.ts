import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Stage } from '../../src/engine/handlers/handler.js';
import type { RunEvent } from '../../src/engine/machine/event.js';
import type { Outcome } from '../../src/engine/machine/outcome.js';
import type { FileSystem } from '../../src/engine/runtime/file-system.js';
import { readJournal } from '../../src/engine/runtime/journal.js';
import { jsonOf, type PipelineRun, resumePipeline, runPipeline, type Setup } from '../engine/harness.js';
import type { CrashPipeline } from './pipelines.js';

export interface Recorded {
  readonly run: PipelineRun;
  /** `node#visit.attempt` of every attempt that was executed, sorted. */
  readonly executed: readonly string[];
}

/** Runs a pipeline in `<home>/run`, where its tools note what they do too. */
export function start(scenario: CrashPipeline, home: string, fileSystem: FileSystem): Promise<Recorded> {
  return record(scenario, home, fileSystem, (setup) =>
    runPipeline(scenario.dot, {
      ...setup,
      ...(scenario.answers && { answers: scenario.answers }),
      runDirectory: path.join(home, 'run'),
    }),
  );
}

/** Goes on with what `start` began, or starts where nothing of a run had come to be. */
export function goOn(scenario: CrashPipeline, home: string, fileSystem: FileSystem): Promise<Recorded> {
  const directory = path.join(home, 'run');
  if (!existsSync(path.join(directory, 'manifest.json'))) return start(scenario, home, fileSystem);
  return record(scenario, home, fileSystem, (setup) => resumePipeline(directory, setup));
}

async function record(
  { outcomes = {} }: CrashPipeline,
  home: string,
  fileSystem: FileSystem,
  execute: (setup: Setup) => Promise<PipelineRun>,
): Promise<Recorded> {
  const byTools = path.join(home, 'executed');
  rmSync(byTools, { force: true });
  const executed: string[] = [];
  const work = ({ node, visit, attempt }: Stage): Outcome => {
    const key = `${node.id}#${visit}.${attempt}`;
    executed.push(key);
    return outcomes[key] ?? { status: 'success' };
  };
  const run = await execute({ handlers: { work }, workingDirectory: home, fileSystem });
  if (existsSync(byTools)) executed.push(...readFileSync(byTools, 'utf8').trim().split('\n'));
  return { run, executed: executed.sort() };
}

/** What must not depend on whether, and where, a run was cut off. */
export function essence({ result, directory }: PipelineRun) {
  const { status, quality, failure_reason, completed_nodes, steps, visits, context } = result;
  const { node_outcomes, node_retries, current_node, next_node, logs } = jsonOf(directory, 'checkpoint.json');
  return {
    status,
    quality,
    failure_reason,
    path: result.path,
    completed_nodes,
    steps,
    visits,
    context,
    checkpoint: { node_outcomes, node_retries, current_node, next_node },
    // A stage that runs again may say again what is worth an entry.
    logs: [...new Set(logs)],
    files: stageFiles(directory),
  };
}

/** What the stages left behind, by path. */
function stageFiles(directory: string): Readonly<Record<string, string>> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath !== directory)
    .map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.sort().map((file) => [path.relative(directory, file), readFileSync(file, 'utf8')]),
  );
}

/** The attempts that have settled, as far as the journal on the disk knows. */
export function settledOnDisk(home: string): ReadonlySet<string> {
  const file = path.join(home, 'run', 'events.jsonl');
  return existsSync(file) ? settledIn(readJournal(file).events) : new Set();
}

function settledIn(events: readonly RunEvent[]): ReadonlySet<string> {
  return new Set(
    events.flatMap((event) =>
      'outcome' in event ? [`${event.node_id}#${event.visit}.${event.attempt}`] : [],
    ),
  );
}
