import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DBOSClient } from '@dbos-inc/dbos-sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { jsonSerializer } from '../../src/cluster/dbos/json-serializer.js';
import { names } from '../../src/cluster/dbos/names.js';
import type { Submission } from '../../src/cluster/durable-run.js';
import { prepareSubmission } from '../../src/cluster/prepare-submission.js';
import { compile } from '../../src/compiler/compile.js';
import { pipeline } from '../run/harness.js';
import { liveCluster } from './live-cluster.js';

const cluster = await liveCluster();
const { query, start, directory, urlFor } = cluster;
const own = path.join(directory, 'team_a');

const command = pipeline('a [shape=parallelogram, tool_command="touch ran"]', 'start -> a -> exit');
const question = pipeline('g [shape=hexagon, label="Go?"]', 'start -> g', 'g -> exit [label="[Y] Yes"]');

beforeAll(async () => {
  await query(`create role team_a login in role attractor_client`);
  await query(`create role machine login in role attractor_worker`);
  mkdirSync(own);
  writeFileSync(path.join(own, 'command.dot'), command);
  writeFileSync(path.join(own, 'question.dot'), question);
  writeFileSync(path.join(directory, 'question.dot'), question);
  writeFileSync(
    path.join(own, 'plugin.mjs'),
    `import { writeFileSync } from 'node:fs';
    writeFileSync(${JSON.stringify(path.join(directory, 'loaded'))} + process.argv[2], '');
    export default { name: 'mine' };`,
  );
  const worker = start(['worker', '--home', 'runs'], 'machine');
  await worker.until('it was ready', () => worker.output().includes('is ready for'));
});

describe('the run of a tenant on a worker without --allow-tools', () => {
  test('is carried if it runs no commands', async () => {
    const { status, stderr } = await start(['run', 'question.dot', '--answer', 'g=Y'], 'team_a', own)
      .finished;
    expect(status, stderr).toBe(0);
  });

  test('is stopped before its first command, with the reason', async () => {
    const { status, stdout, stderr } = await start(['run', 'command.dot'], 'team_a', own).finished;
    expect(status).toBe(3);
    expect(stdout).toContain('paused: the pipeline may not run here');
    expect(stdout + stderr).toContain(
      'the pipeline may not run here: "a" is a tool stage, which runs a command, and this worker does not let pipelines run commands; start it with --allow-tools',
    );
    expect(existsSync(path.join(own, 'ran'))).toBe(false);
  });

  test('does not leave the directory of its tenant', async () => {
    const { stdout, stderr } = await start(['run', 'question.dot', '--answer', 'g=Y'], 'team_a').finished;
    expect(stdout + stderr).toContain(
      `the run works in ${directory}; runs of the tenant team_a work in ${own}`,
    );
  });

  test('brings no plugin', async () => {
    const call = ['run', 'question.dot', '--answer', 'g=Y', '--plugin', './plugin.mjs'];
    const { stdout, stderr } = await start(call, 'team_a', own).finished;
    expect(stdout + stderr).toContain('plugin.mjs, which the configuration of this worker does not name');
    expect(existsSync(path.join(directory, 'loadedrun'))).toBe(true);
    expect(existsSync(path.join(directory, 'loadedworker'))).toBe(false);
  });

  test('that the owner submits may run commands', async () => {
    const { status, stderr } = await start(['run', 'command.dot'], 'postgres', own).finished;
    expect(status, stderr).toBe(0);
    expect(existsSync(path.join(own, 'ran'))).toBe(true);
  });
});

describe('a submission that was made by hand', () => {
  const victim = path.join(directory, 'runs', 'victim');
  const manifestOf =
    (changes: object) =>
    (submission: Submission): Submission => ({
      ...submission,
      manifest: JSON.stringify({ ...JSON.parse(submission.manifest), ...changes }),
    });

  beforeAll(() => {
    mkdirSync(victim, { recursive: true });
    writeFileSync(path.join(victim, 'pipeline.dot'), 'of somebody else');
  });

  const forged: readonly (readonly [
    what: string,
    change: (given: Submission) => Submission,
    says: string,
  ])[] = [
    ['for the directory of another run', (given) => ({ ...given, runId: 'victim' }), 'has the id of another'],
    ['for a directory elsewhere', (given) => ({ ...given, runId: '../../victim' }), 'has the id of another'],
    ['in the name of another run', manifestOf({ run_id: 'victim' }), 'calls itself "victim"'],
    [
      'that replays another run',
      manifestOf({ options: { simulate: false, auto_approve: false, replay_of: victim } }),
      'replays another',
    ],
    ['with git', manifestOf({ git: { repository: directory, subdirectory: '', base: 'HEAD' } }), 'uses git'],
  ];

  test.each(forged)('%s is refused', async (_what, change, says) => {
    const submission = await prepareSubmission(compile(question), {
      workingDirectory: own,
      runDirectory: path.join(directory, 'submitted'),
    });
    if ('status' in submission) throw new Error(JSON.stringify(submission.diagnostics));
    const { runId } = submission;
    const client = await DBOSClient.create({
      systemDatabaseUrl: urlFor('team_a'),
      serializer: jsonSerializer,
    });
    try {
      const call = { queueName: 'runs', workflowName: names.workflow, appVersion: names.version };
      await client.enqueue({ ...call, workflowID: runId, authenticatedUser: 'team_a' }, change(submission));
      await cluster.until(
        'the run was refused',
        `select coalesce((select error from dbos.workflow_output e where e.workflow_uuid = s.workflow_uuid), '') || coalesce((select output from dbos.operation_outputs o
           where o.workflow_uuid = s.workflow_uuid and output like '%problem%' limit 1), '') as said
         from dbos.workflow_status s where s.workflow_uuid = '${runId}'`,
        ({ said }) => String(said).replaceAll('\\', '').includes(says),
      );
    } finally {
      await client.destroy();
    }
    expect(readFileSync(path.join(victim, 'pipeline.dot'), 'utf8')).toBe('of somebody else');
  });
});
