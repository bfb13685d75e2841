import { readFileSync } from 'node:fs';
import path from 'node:path';
import { noBackendSettings } from '../../../src/backends/no-settings.js';
import { simulateBackend } from '../../../src/backends/simulate-backend.js';
import type { JsonValue } from '../../../src/graph/json.js';
import type { RunResult } from '../../../src/view/run-result.js';
import { runOnDisk } from '../../run/harness.js';
import { virtualClock } from '../../support/virtual-clock.js';

const root = path.join(import.meta.dirname, '../../..');

export interface RoadmapRun {
  readonly result: RunResult;
  /** Lines of the roadmap whose box the run has ticked. */
  readonly ticked: readonly string[];
}

/** Runs examples/roadmap.dot with its script; only the model is simulated. */
export async function runRoadmap(
  roadmap: string,
  inputs: Readonly<Record<string, JsonValue>> = {},
): Promise<RoadmapRun> {
  const before = readFileSync(roadmap, 'utf8').split('\n');
  const backend = await simulateBackend.create({
    workingDirectory: path.dirname(roadmap),
    settings: noBackendSettings,
    variables: {},
  });
  const { result } = await runOnDisk(readFileSync(path.join(root, 'examples/roadmap.dot'), 'utf8'), {
    backend,
    // The tools take real time.
    clock: virtualClock({ mayPass: () => false }),
    inputs: { roadmap, script: path.join(root, 'examples/roadmap.mjs'), ...inputs },
    workingDirectory: path.dirname(roadmap),
  });
  const after = readFileSync(roadmap, 'utf8').split('\n');
  return { result, ticked: after.filter((line, index) => line !== before[index]) };
}
