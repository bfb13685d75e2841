import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { compile } from '../../src/compiler/compile.js';
import { run } from '../../src/run/run.js';
import { readScript } from '../../src/run-directory/simulation-script.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { virtualClock } from '../support/virtual-clock.js';

const folder = path.join(import.meta.dirname, '../../examples');
const names = readdirSync(folder);
const pipelines = names.filter((name) => name.endsWith('.dot'));
const scripts = names.filter((name) => name.endsWith('.script.yaml'));

describe('an example', () => {
  it.each(pipelines)('%s is without findings', (name) => {
    expect(compile(read(name), { name }).diagnostics).toEqual([]);
  });

  it.each(scripts)('is played through by %s', async (name) => {
    const pipeline = name.replace('.script.yaml', '.dot');
    const result = await run(read(pipeline), {
      sourcePath: path.join(folder, pipeline),
      runDirectory: path.join(temporaryDirectory(), 'run'),
      script: readScript(parse(read(name)), name),
      clock: virtualClock(),
    });
    expect(result).toMatchObject({ status: 'success', quality: 'clean', path: waysOfScripts[name] });
  });
});

const waysOfScripts: Readonly<Record<string, readonly string[]>> = {
  'fix-until-green.script.yaml': [
    ...['start', 'implement', 'install', 'test', 'fix'],
    ...['test', 'review', 'fix', 'test', 'review', 'done'],
  ],
  'release.script.yaml': [
    ...['start', 'implement', 'checks', 'test', 'audit', 'notes', 'proof', 'fix'],
    ...['checks', 'test', 'audit', 'notes', 'proof', 'approve', 'publish', 'done'],
  ],
  'review-a-change.script.yaml': ['start', 'change', 'reviews', 'correctness', 'security', 'verdict', 'done'],
  'supervised.script.yaml': ['start', 'plan', 'sprint', 'polish', 'done'],
  'map-reduce.script.yaml': ['start', 'each', 'review', 'review', 'review', 'sum', 'done'],
  'three-tries.script.yaml': [
    ...['start', 'test', 'fix', 'test', 'fix', 'test', 'fix', 'test', 'ask', 'test', 'done'],
  ],
  'review-loop.script.yaml': ['start', 'draft', 'review', 'revise', 'review', 'publish', 'done'],
};

function read(name: string): string {
  return readFileSync(path.join(folder, name), 'utf8');
}
