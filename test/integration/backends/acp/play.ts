import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { AgentSettings } from '../../../../src/backends/settings.js';
import { eventsOf, type PipelineRun, pipeline, runOnDisk, type Setup } from '../../../run/harness.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { virtualClock } from '../../../support/virtual-clock.js';
import { type AgentScript, type FakeAgent, fakeAgent, type Step } from './fake-agent.js';

export interface Play {
  readonly script?: Omit<AgentScript, 'turns'>;
  readonly settings?: Partial<AgentSettings>;
  /** A known agent, in whose place the fake one stands. */
  readonly name?: string;
  /** By default one stage, `work`. */
  readonly dot?: string;
  /** Of every stage. */
  readonly attributes?: string;
  readonly setup?: Setup;
  /** Symbolic links in the working directory, and where they lead. */
  readonly links?: Readonly<Record<string, string>>;
  /** Cancels the run as soon as the agent hangs; until then time stands still. */
  readonly isCancelled?: boolean;
}

export interface Played extends PipelineRun {
  readonly agent: FakeAgent;
  readonly workplace: string;
  /** What the run log has, without what says where. */
  readonly log: readonly string[];
}

/** Runs a pipeline whose stages a fake agent does, turn by turn, and expects that no process is left of it. */
export async function play(turns: readonly (readonly Step[])[], setup: Play = {}): Promise<Played> {
  const { script, settings, name = 'fake', attributes = '', isCancelled = false } = setup;
  const dot = setup.dot ?? pipeline('start -> work -> exit');
  const agent = fakeAgent({ ...script, turns }, settings, name);
  const workplace = path.join(temporaryDirectory(), 'workplace');
  mkdirSync(workplace);
  for (const [link, target] of Object.entries(setup.links ?? {})) {
    symlinkSync(target, path.join(workplace, link));
  }
  const cancel = new AbortController();
  const watch = setInterval(() => isCancelled && agent.noted('hanging').length > 0 && cancel.abort(), 20);
  try {
    const run = await runOnDisk(dot.replace('node [', `node [llm_provider="${name}", ${attributes}`), {
      backend: await agent.backend(),
      clock: virtualClock({ mayPass: () => !isCancelled }),
      workingDirectory: workplace,
      signal: cancel.signal,
      ...setup.setup,
    });
    await expect.poll(() => agent.living(), { timeout: 20_000 }).toEqual([]);
    const log = eventsOf(run.events, 'LogAppended').map(({ message }) => message);
    return { ...run, agent, workplace, log };
  } finally {
    clearInterval(watch);
  }
}

export function says(text: string): Step {
  return { do: 'say', text };
}

export function updates(sessionUpdate: string, fields: object): Step {
  return { do: 'update', update: { sessionUpdate, ...fields } };
}

export function ends(stopReason: string | undefined, more: object = {}): Step {
  return { do: 'end', response: { stopReason, ...more } };
}
