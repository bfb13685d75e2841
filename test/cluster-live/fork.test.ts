import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openCluster } from '../../src/cluster/dbos/cluster.js';
import { prepareFork } from '../../src/cluster/fork-run.js';
import { compile } from '../../src/compiler/compile.js';
import { systemClock } from '../../src/run/driver/clock.js';
import { gitIn } from '../integration/workspaces/git/repository.js';
import { pipeline } from '../run/harness.js';
import { settledOnce } from './expectations.js';
import { liveCluster, openRuns } from './live-cluster.js';

const cluster = await liveCluster();

/** Every stage adds a line; `b` needs a file that is not there at first. */
const line = pipeline(
  'a [shape=parallelogram, tool_command="echo a >> done.txt; echo of-a > $ATTRACTOR_STAGE_DIR/left.txt"]',
  'b [shape=parallelogram, tool_command="echo b >> done.txt; test -e fixed && cat $ATTRACTOR_LOGS_ROOT/a/left.txt"]',
  'start -> a -> b -> exit',
);

test('a run is forked where it failed, on another worker and without the directory of the first one', async () => {
  const first = await cluster.worker();
  const id = await cluster.submit(line);
  await cluster.until('the run had failed', openRuns, ({ open }) => open === 0);
  first.kill('SIGTERM');
  await first.finished;
  rmSync(path.join(cluster.directory, 'runs', id), { recursive: true });
  writeFileSync(path.join(cluster.directory, 'fixed'), '');

  const waiting = cluster.start(['fork', id, '--no-run', '--json']);
  const { status: made, stdout, stderr } = await waiting.finished;
  expect(made, stderr).toBe(0);
  const fork: { run_id: string } = JSON.parse(stdout);
  await cluster.worker();
  const { status, stderr: shown } = await cluster.start(['resume', fork.run_id]).finished;
  expect(status, shown).toBe(0);

  const [history] = await cluster.histories([fork.run_id]);
  if (history === undefined) throw new Error('the fork is not there');
  expect(history.view.status).toBe('success');
  expect(settledOnce(history).attempts).toEqual(['/a#1.1', '/b#1.1', '/b#2.1', '/exit#1.1', '/start#1.1']);
  const files = await cluster.query('select sha256 from attractor.files where run_id = $1', [fork.run_id]);
  expect(files.length).toBeGreaterThan(0);
});

test('a tenant forks its own run, and gets no file of others by a fork that it makes up', async () => {
  const own = path.join(cluster.directory, 'team_a');
  mkdirSync(own);
  await cluster.query('create role team_a login in role attractor_client');
  const harmless = pipeline('g [shape=hexagon, label="Go?"]', 'start -> g', 'g -> exit [label="[Y] Yes"]');
  writeFileSync(path.join(own, 'gate.dot'), harmless);
  const asTenant = (...call: string[]) => cluster.start(call, 'team_a', own).finished;
  expect((await asTenant('run', 'gate.dot', '--answer', 'g=Y')).status).toBe(0);
  const { status, stdout } = await asTenant('fork', await newest(), '--at', 'exit', '--json');
  expect([status, JSON.parse(stdout).status]).toEqual([0, 'success']);

  const secret = await cluster.submit(line);
  await cluster.until('the run had ended', openRuns, ({ open }) => open === 0);
  const ofOthers = await cluster.client.find(secret);
  const ofTenant = await cluster.client.find(await newest('team_a'));
  if (ofOthers === undefined || ofTenant === undefined) throw new Error('a run is not there');
  const { program } = compile(harmless);
  if (program === undefined) throw new Error('the pipeline is not valid');
  const made = { program, at: 'exit', runId: 'made-up', clock: systemClock, directory: own };
  const { submission } = await prepareFork(ofTenant, made);
  const [file] = [...ofOthers.history.files.entries()].flatMap(([, found]) =>
    found.kind === 'stored' ? found.parts : [],
  );
  if (file === undefined || submission.shared === undefined) throw new Error('there is nothing to take');
  const { batch } = submission.shared;
  const taken = { path: 'g/taken', kind: 'stored', ...file } as const;
  const tenant = await openCluster(cluster.urlFor('team_a'));
  onTestFinished(() => tenant.close());
  await tenant.submit({ ...submission, shared: { runs: [secret], batch: { ...batch, files: [taken] } } });
  expect((await asTenant('resume', 'made-up')).stderr).toContain('g/taken, its content is not in the store');
  expect(await cluster.query("select from attractor.files where run_id = 'made-up'")).toEqual([]);
});

test('with a git remote, a fork works on the commits of its source until it has a branch', async () => {
  const [origin, remote] = [path.join(cluster.directory, 'origin'), path.join(cluster.directory, 'site.git')];
  mkdirSync(origin);
  gitIn(origin, 'init', '--quiet', '--initial-branch=main');
  writeFileSync(path.join(origin, 'readme'), 'Hi');
  gitIn(origin, 'add', '--all');
  gitIn(origin, 'commit', '--quiet', '--message', 'begin');
  gitIn(origin, 'init', '--quiet', '--bare', remote);
  gitIn(origin, 'remote', 'add', 'origin', remote);
  const noting = (name: string) => `${name} [shape=parallelogram, tool_command="echo ${name} >> done.txt"]`;
  const kept = pipeline(
    'graph [git=true, git_remote=origin]',
    ...['a', 'b'].map(noting),
    'start -> a -> b -> exit',
  );
  writeFileSync(path.join(origin, 'kept.dot'), kept);
  const call = async (...args: string[]) => {
    const { status, stdout, stderr } = await cluster.start(args, 'postgres', origin).finished;
    expect(status, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  const source = await call('run', 'kept.dot', '--json');
  // Nothing is left of the clone of the worker, nor of the place where the run was submitted.
  for (const name of ['.clones', source.run_id])
    rmSync(path.join(cluster.directory, 'runs', name), { recursive: true, force: true });
  const unpushed = await call('fork', source.run_id, '--at', 'b', '--no-run', '--json');
  const fork = await call('fork', unpushed.run_id, '--json');
  expect(fork.status).toBe('success');
  const branch = `attractor/${fork.run_id}`;
  expect(gitIn(remote, 'show', `${branch}:done.txt`)).toBe('a\nb');
  expect(gitIn(remote, 'merge-base', branch, `attractor/${source.run_id}`)).toBe(
    gitIn(remote, 'rev-parse', `${branch}~`),
  );
});

async function newest(user = 'team_a'): Promise<string> {
  const [run] = await cluster.query(
    'select workflow_uuid as id from dbos.workflow_status where authenticated_user = $1 order by created_at desc limit 1',
    [user],
  );
  return String(run?.id);
}
