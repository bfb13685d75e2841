import path from 'node:path';
import { expect } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import { type ResumeOptions, type RunOptions, resume, run } from '../../../src/run/run.js';
import { readScript } from '../../../src/run-directory/simulation-script.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import type { PipelineRun } from '../harness.js';

export interface Simulation extends Omit<RunOptions, 'script' | 'answers' | 'onEvent'> {
  /** As in a script file: outcomes by node id. */
  readonly script?: object;
  readonly answers?: object;
}

/** Runs a pipeline as `--simulate` does, on a clock of its own, and expects it to be valid. */
export async function simulate(dot: string, setup: Simulation = {}): Promise<PipelineRun> {
  const { script, answers, ...options } = setup;
  const directory = setup.runDirectory ?? path.join(temporaryDirectory(), 'run');
  const events: RunEvent[] = [];
  const result = await run(dot, {
    simulate: true,
    ...options,
    runDirectory: directory,
    script: scriptOf(script, answers),
    onEvent: (event) => events.push(event),
  });
  return { result: valid(result), events, directory };
}

/** Continues with a run as it was started. */
export async function resumeSimulation(
  directory: string,
  { script, ...options }: Omit<ResumeOptions, 'script'> & { readonly script?: object } = {},
): Promise<PipelineRun> {
  const events: RunEvent[] = [];
  const result = await resume(directory, {
    ...options,
    ...(script && { script: scriptOf(script) }),
    onEvent: (event) => events.push(event),
  });
  return { result: valid(result), events, directory };
}

function scriptOf(nodes: object = {}, answers: object = {}) {
  return readScript({ nodes, answers }, 'the test');
}

function valid(result: Awaited<ReturnType<typeof run>>): PipelineRun['result'] {
  if (result.status !== 'invalid') return result;
  throw new Error(result.diagnostics.map(({ rule, message }) => `${rule}: ${message}`).join('\n'));
}

/** The journal without what every run has of its own: its id and the time at which it began. */
export function essenceOf({ events }: PipelineRun): readonly string[] {
  const start = Date.parse(events[0]?.timestamp ?? '');
  const ids = new Set(events.map(({ run_id }) => run_id));
  expect(ids.size).toBe(1);
  return events.map(({ timestamp, run_id, ...event }) => {
    const text = JSON.stringify({ at: Date.parse(timestamp) - start, ...event });
    return text.replaceAll(run_id, '<run>');
  });
}

/** When each event of a run came, in milliseconds after the first one. */
export function timesOf({ events }: PipelineRun): readonly number[] {
  const times = events.map(({ timestamp }) => Date.parse(timestamp));
  return times.map((time) => time - (times[0] ?? 0));
}
