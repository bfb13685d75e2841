import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { attractor } from '../../../cli/attractor.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { repositoryWith } from './repository.js';

const dot = `digraph work {
  start [shape=Mdiamond]
  done [shape=Msquare]
  one [shape=parallelogram, tool_command="echo one >> log"]
  two [shape=parallelogram, tool_command="echo two >> log"]
  start -> one -> two -> done
}
`;

test('a run with git tells its branch, which can be merged, and can be forked', async () => {
  const repository = repositoryWith({ 'work.dot': dot });
  const cwd = repository.directory;
  const before = repository.look();

  const ran = await attractor(['run', 'work.dot', '--git'], { cwd });
  expect(ran.status).toBe(0);
  const [id = ''] = readdirSync(path.join(cwd, '.attractor', 'runs'));
  expect(ran.stdout + ran.stderr).toContain(`git merge attractor/${id}`);
  expect(repository.look()).toBe(before);

  const status = await attractor(['status', id], { cwd });
  expect(status.stdout).toMatch(new RegExp(`branch +attractor/${id}`));
  expect(status.stdout).toContain(`git merge attractor/${id}`);
  const overview = JSON.parse((await attractor(['status', id, '--json'], { cwd })).stdout);
  expect(overview.git).toEqual({
    branch: `attractor/${id}`,
    directory: path.join(overview.run_dir, 'work-tree'),
    remote: null,
  });

  const made = await attractor(['fork', id, '--at', 'two', '--no-run', '--json'], { cwd });
  expect(made.stderr).toContain(`forked ${id}`);
  const forked = JSON.parse(made.stdout);
  expect(repository.filesAt(`attractor/${forked.run_id}`)).toEqual({ log: 'one', 'work.dot': dot.trimEnd() });

  const gone = await attractor(['resume', forked.run_id, '--json'], { cwd });
  expect(JSON.parse(gone.stdout)).toMatchObject({ status: 'success', path: ['start', 'one', 'two', 'done'] });
  expect(repository.filesAt(`attractor/${forked.run_id}`).log).toBe('one\ntwo');

  const went = await attractor(['fork', id, '--step', '1', '--json'], { cwd });
  expect(JSON.parse(went.stdout)).toMatchObject({ status: 'success', steps: 2 });

  const refused = await attractor(['fork', id, '--at', 'three'], { cwd });
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  expect(refused.stderr).toContain('"three" is not a node of its pipeline');

  repository.git('merge', '--quiet', `attractor/${id}`);
  expect(repository.filesAt('main').log).toBe('one\ntwo');
  expect(readdirSync(path.join(cwd, '.attractor', 'runs'))).toHaveLength(3);
});

test('a run with git_remote is merged from its remote, also by those who have only that', async () => {
  const remote = path.join(temporaryDirectory(), 'remote.git');
  const graph = 'digraph work {\n  graph [git=true, git_remote=origin]';
  const repository = repositoryWith({ 'work.dot': dot.replace('digraph work {', graph) });
  const cwd = repository.directory;
  repository.git('clone', '--quiet', '--bare', cwd, remote);
  repository.git('remote', 'add', 'origin', remote);

  const ran = await attractor(['run', 'work.dot'], { cwd });
  expect(ran.status).toBe(0);
  const [id = ''] = readdirSync(path.join(cwd, '.attractor', 'runs'));
  const said = `git fetch origin attractor/${id} && git merge FETCH_HEAD`;
  expect(ran.stdout + ran.stderr).toContain(said);
  const status = await attractor(['status', id], { cwd });
  expect(status.stdout).toContain(`git fetch ${remote} attractor/${id} && git merge FETCH_HEAD`);

  execFileSync('sh', ['-c', said], { cwd, stdio: 'pipe' });
  expect(repository.filesAt('main').log).toBe('one\ntwo');
});
