import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { followRun } from '../../src/cluster/follow-run.js';
import { compile } from '../../src/compiler/compile.js';
import { makeRedactor } from '../../src/secrets/redactor.js';
import { pipeline } from '../run/harness.js';
import { liveCluster } from './live-cluster.js';

const cluster = await liveCluster();
const { query, start, directory } = cluster;

/** What must be nowhere in the database; the name is where it is known, or how it is recognized. */
const secrets = {
  ofWorker: 'wq8Jm2xTz5vK9rLp3nBc',
  ofClient: 'h7Yd4sGf1kQe6uWa0oXi',
  // A key of a well-known form, which nobody has in the environment.
  byForm: `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}`,
};

const secretive = pipeline(
  'shown [shape=parallelogram, tool_command="echo is $DEPLOY_TOKEN; echo is $DEPLOY_TOKEN >&2"]',
  'environment [shape=parallelogram, tool_command="env"]',
  'failed [shape=parallelogram, tool_command="echo \\"no access with $DEPLOY_TOKEN\\" >&2; exit 3"]',
  'asked [prompt="Deploy with ${input.key}, and say ${tool.output}"]',
  'said [shape=hexagon, label="Which key?", "human.text"=required]',
  'start -> shown -> environment -> failed',
  'failed -> asked [condition="outcome=fail"]',
  'failed -> asked',
  'asked -> said -> exit',
);

/** A backend that gives back what it was asked, with what it finds in its environment. */
const plugin = `export default {
  name: 'echo',
  backends: [{ name: 'echo', create: () => ({
    run: async (_node, prompt) => prompt + ' with ' + process.env.DEPLOY_TOKEN,
  }) }],
};`;

test('no table has a secret of the worker, of the client, or of a form that is known', async () => {
  writeFileSync(path.join(directory, 'secretive.dot'), secretive);
  writeFileSync(path.join(directory, 'plugin.mjs'), plugin);
  const worker = start(['worker', '--home', 'runs'], 'postgres', directory, {
    PGPASSWORD: 'not-asked-for',
    DEPLOY_TOKEN: secrets.ofWorker,
  });
  await worker.until('it was ready', () => worker.output().includes('is ready for'));
  const call = [
    'run',
    'secretive.dot',
    '--set',
    `key=${secrets.byForm}`,
    '--set',
    `other=${secrets.ofClient}`,
  ];
  const submitted = start(
    [...call, '--plugin', './plugin.mjs', '--backend', 'echo', '--detach'],
    'postgres',
    directory,
    { CLIENT_TOKEN: secrets.ofClient },
  );
  const { status, stdout, stderr } = await submitted.finished;
  expect(status, stderr).toBe(0);
  const run = await cluster.client.find(stdout.trim());
  const { program } = compile(secretive);
  if (run === undefined || program === undefined) throw new Error('the run is not there');
  const answer = `${secrets.byForm} and ${secrets.ofClient}`;
  await followRun(run, program, {
    secrets: makeRedactor([{ name: 'CLIENT_TOKEN', value: secrets.ofClient }]),
    interviewer: { ask: async () => ({ value: answer, text: answer }) },
  });
  expect(run.history.view.status).toBe('success');
  // They were there to be found: in inputs, in what a stage has said, in the message with the answer.
  const places: readonly (readonly [place: string, text: string])[] = [
    ['dbos.workflow_input', '[redacted:github token]'],
    ['dbos.workflow_input', '[redacted:CLIENT_TOKEN]'],
    ['dbos.operation_outputs', 'is [redacted:DEPLOY_TOKEN]'],
    ['dbos.notifications', '[redacted:github token] and [redacted:CLIENT_TOKEN]'],
  ];
  for (const [place, text] of places)
    expect(
      (await rowsWith(text)).filter((row) => row.startsWith(`${place}: `)),
      text,
    ).not.toEqual([]);
  // Programs that stages start inherit the rest of the environment, but not the way to the database.
  expect(await rowsWith('DEPLOY_TOKEN=[redacted')).not.toEqual([]);
  expect(await rowsWith('ATTRACTOR_DATABASE_URL=')).toEqual([]);
  expect(await rowsWith('PGPASSWORD=')).toEqual([]);
  for (const [name, secret] of Object.entries(secrets)) expect(await rowsWith(secret), name).toEqual([]);
});

/** Rows of all tables that have a text anywhere, files included, whose bytes a row shows as hexadecimal digits: as `table: row`. */
async function rowsWith(text: string): Promise<readonly string[]> {
  const tables = await query(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('dbos', 'attractor')`,
  );
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await query(`select row_to_json(found)::text as text from ${name} found`);
      const isFound = (row: string): boolean =>
        [text, Buffer.from(text).toString('hex')].some((one) => row.includes(one));
      return rows.flatMap((row) => (isFound(String(row.text)) ? [`${name}: ${row.text}`] : []));
    }),
  );
  return found.flat();
}
