import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { resume } from '../../src/run/run.js';
import { readManifest } from '../../src/run-directory/manifest.js';
import { optionsOf, settingsOf } from '../../src/run-directory/manifest-settings.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { jsonOf } from './harness.js';

const source = `digraph Old {
    start [shape=Mdiamond]
    done  [shape=Msquare]
    a [prompt="Do it"]
    b [prompt="Do more"]
    start -> a -> b -> done
}
`;

// As 0.1.0 wrote it when options were carried one by one; the fields of settings must continue reading and writing the same.
const options = {
  simulate: true,
  auto_approve: true,
  max_steps: 9,
  budget_usd: 2.5,
  budget_tokens: 1000,
  strict_values: true,
  custom_outcomes: true,
  script: { nodes: { a: [{ outcome: 'fail', delay: '50ms' }] }, answers: {} },
  seed: 7,
  has_backend: false,
  handler_types: [],
  extensions: { plugins: [], provider: 'anthropic', rules: {} },
  record: true,
};
const manifest = {
  run_id: '20261123-194128-Old-w6a3bi',
  name: 'Old',
  goal: '',
  start_time: '2026-11-23T19:41:28.241Z',
  source: '/home/x/p.dot',
  graph_hash: 'c5ba75aead9404e12ce39638a51c4935f9f71df4c8bcef55789e6483ba25983d',
  attractor_version: '0.1.0',
  inputs: { x: 1 },
  parent_run: null,
  working_directory: '/home/x',
  options,
};

function oldRun(): string {
  const directory = path.join(temporaryDirectory(), 'run');
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'pipeline.dot'), source);
  writeFileSync(path.join(directory, 'manifest.json'), JSON.stringify(manifest, null, 2));
  return directory;
}

test('a manifest of earlier versions is read field by field', () => {
  const settings = settingsOf(readManifest(oldRun()));
  expect(settings).toEqual({
    simulate: true,
    autoApprove: true,
    maxSteps: 9,
    budgetUsd: 2.5,
    budgetTokens: 1000,
    strictValues: true,
    customOutcomes: true,
    script: { nodes: new Map([['a', [{ outcome: 'fail', delay: 50 }]]]), answers: new Map() },
    seed: 7,
    extensions: options.extensions,
    record: true,
    inputs: { x: 1 },
    sourcePath: '/home/x/p.dot',
    workingDirectory: '/home/x',
    runId: manifest.run_id,
  });
  const { has_backend: _backend, handler_types: _types, ...kept } = options;
  expect(JSON.parse(JSON.stringify(optionsOf(settings)))).toEqual(kept);
});

test('its run is resumed, and its manifest stays as it is but for what the call renews', async () => {
  const directory = oldRun();
  const failed = await resume(directory);
  expect(failed).toMatchObject({ status: 'fail', failed_node: 'a', context: { x: 1 } });
  expect(jsonOf(directory, 'manifest.json')).toEqual(manifest);
  const script = { nodes: new Map(), answers: new Map() };
  expect(await resume(directory, { script, strictValues: false })).toMatchObject({ status: 'success' });
  expect(jsonOf(directory, 'manifest.json')).toEqual({
    ...manifest,
    options: { ...options, script: { nodes: {}, answers: {} } },
  });
});
