import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Bench, bench, stage } from '../../../backends/ai/bench.js';
import { eventsOf, type PipelineRun, resumePipeline } from '../../../run/harness.js';
import { calls, type MockScript, refuses, says } from '../../../support/mock-models.js';
import { runIn } from './git-run.js';
import { type Repository, repositoryWith } from './repository.js';

interface Started {
  readonly it: Bench;
  readonly repository: Repository;
  readonly run: PipelineRun;
  /** Files of the last commit of the run. */
  files(): Readonly<Record<string, string>>;
  resume(): Promise<PipelineRun>;
  workTree(...names: readonly string[]): string;
}

const writes = (name: string, content: string) => calls(['write_file', { path: name, content }]);
const usage = { input_tokens: 10, output_tokens: 10 };

async function started(script: MockScript, attributes: string): Promise<Started> {
  const it = await bench(script, { settings: { ai: { request_retries: 0 } } });
  const repository = repositoryWith({ 'start.txt': 'start' });
  const setup = await it.setup({ runDirectory: undefined, workingDirectory: undefined });
  const { runDirectory: _run, workingDirectory: _work, ...given } = setup;
  const run = await runIn(repository, stage(`llm_model="claude-sonnet-4-5", ${attributes}`), given);
  const { directory } = run;
  return {
    it,
    repository,
    run,
    files: () => repository.filesAt(`attractor/${run.result.run_id}`),
    async resume() {
      const { backend, clock } = await it.setup();
      return resumePipeline(directory, { backend, clock, stageBudgets: { work: { tokens: 1000 } } });
    },
    workTree: (...names) => path.join(directory, 'work-tree', ...names),
  };
}

const refs = ({ repository, run }: Started): string =>
  repository.git('for-each-ref', '--format=%(refname)', `refs/attractor/${run.result.run_id}`);

test('123: an attempt that continues keeps the files of the one before', async () => {
  const one = await started([writes('a.txt', 'one'), refuses(500), says('Done.')], 'max_retries=1');
  expect(one.run.result.status).toBe('success');
  expect(one.it.mock.requests()).toHaveLength(3);
  expect(one.files()).toEqual({ 'start.txt': 'start', 'a.txt': 'one' });
  expect(refs(one)).toBe('');
});

test('123: an attempt after an answer begins with the files from before the stage', async () => {
  const again = calls(['report_outcome', { outcome: 'retry', failure_reason: 'not yet' }]);
  const one = await started([writes('a.txt', 'one'), again, says('Done.')], 'max_retries=1');
  expect(one.run.result.status).toBe('success');
  expect(one.files()).toEqual({ 'start.txt': 'start' });
  expect(refs(one)).toContain('/failed/work.1.1');
});

test('123: a resumed stage has its files as after its last completed call', async () => {
  const paid = { ...writes('a.txt', 'one'), response: { ...writes('a.txt', 'one').response, usage } };
  const one = await started([paid, writes('b.txt', 'two'), says('Done.')], 'budget_tokens=15');
  expect(one.run.result.status).toBe('paused');
  // As a call leaves them that was under way when its process was killed.
  writeFileSync(one.workTree('a.txt'), 'half of');
  writeFileSync(one.workTree('stray.txt'), 'half of');
  const { result, events } = await one.resume();
  expect(result.failure_reason).toBeUndefined();
  expect(result.status).toBe('success');
  expect(one.it.mock.requests()).toHaveLength(3);
  expect(one.files()).toEqual({ 'start.txt': 'start', 'a.txt': 'one', 'b.txt': 'two' });
  expect(JSON.stringify(eventsOf(events, 'LogAppended'))).toContain('changes found in the work tree');
  expect(refs(one)).toMatch(/^\S+\/undone\/work\.1\.1$/);
  expect(existsSync(one.workTree('stray.txt'))).toBe(false);
});

test('123: a conversation whose files are lost begins from its start', async () => {
  const paid = { ...writes('a.txt', 'one'), response: { ...writes('a.txt', 'one').response, usage } };
  const one = await started([paid, says('Done.')], 'budget_tokens=15');
  const commit = one.repository.git('rev-parse', refs(one));
  one.repository.git('update-ref', '-d', refs(one));
  one.repository.git('prune', '--expire=now', commit);
  one.repository.git('gc', '--quiet', '--prune=now');
  const { result, events } = await one.resume();
  expect(result.status).toBe('success');
  expect(one.files()).toEqual({ 'start.txt': 'start' });
  expect(JSON.stringify(eventsOf(events, 'LogAppended'))).toContain('because its files are lost');
});
