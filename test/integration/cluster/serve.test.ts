import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ClusterWorker } from '../../../src/cluster/cluster.js';
import { names } from '../../../src/cluster/dbos/names.js';
import { prepareSubmission } from '../../../src/cluster/prepare-submission.js';
import { compile } from '../../../src/compiler/compile.js';
import { HandlerRegistry } from '../../../src/run/driver/handler-registry.js';
import type { RunOptions } from '../../../src/run/run.js';
import type { Problem } from '../../../src/server/api/problem.js';
import type { AcceptedRun, RunDetail, RunList, RunStatusName } from '../../../src/server/api/run.js';
import { createApp } from '../../../src/server/app.js';
import { openServerParts } from '../../../src/server/open-server-parts.js';
import { silentLog } from '../../../src/telemetry/log.js';
import type { Timeline } from '../../../src/view/stage-schema.js';
import { MemoryCluster } from '../../cluster/memory-cluster.js';
import { pipeline } from '../../run/harness.js';
import { eventually } from '../../server/asked-server.js';
import { serverOptions, type TestOptions } from '../../server/runs/harness.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const gate = pipeline(
  'g [shape=hexagon, label="Ship it?"]',
  'yes',
  'start -> g',
  'g -> yes [label="[Y] Yes"]',
  'g -> exit [label="[N] No"]',
  'yes -> exit',
);

const work = pipeline('a', 'start -> a', 'a -> exit');

const worker: ClusterWorker = {
  id: 'host-7-abc',
  host: 'host',
  pid: 7,
  labels: ['gpu'],
  max_runs: 50,
  runs: 1,
  stages: 0,
  max_stages: 20,
  version: names.version,
  started: new Date(0),
  beat: new Date(1000),
  leaving: false,
};

interface ServedCluster {
  readonly cluster: MemoryCluster;
  readonly get: <Body>(path: string) => Promise<Body>;
  readonly ask: (path: string, body?: unknown) => Promise<Response>;
  /** @returns the id of the run */
  readonly submit: (dot: string, given?: object) => Promise<string>;
  readonly until: (id: string, ...statuses: readonly RunStatusName[]) => Promise<RunDetail>;
}

async function served(options: TestOptions = {}, runOptions: RunOptions = {}): Promise<ServedCluster> {
  const directory = temporaryDirectory();
  const cluster = new MemoryCluster(directory, runOptions);
  const { parts, close } = await openServerParts(
    serverOptions(directory, { home: path.join(directory, 'copies'), ...options }),
    silentLog,
    cluster,
  );
  onTestFinished(close);
  const app = createApp(parts, []);
  const headers = { 'content-type': 'application/json' };
  const ask: ServedCluster['ask'] = async (address, body) =>
    body === undefined
      ? app.request(address)
      : app.request(address, { method: 'POST', headers, body: JSON.stringify(body) });
  const get = async <Body>(address: string): Promise<Body> => {
    const response = await ask(address);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Body;
  };
  return {
    cluster,
    get,
    ask,
    async submit(dot, given = { simulate: true }) {
      const response = await ask('/pipelines', { dot, ...given });
      if (!response.ok) throw new Error(await response.text());
      return ((await response.json()) as AcceptedRun).id;
    },
    until: (id, ...statuses) =>
      eventually(async () => {
        const detail = await get<RunDetail>(`/pipelines/${id}`);
        return statuses.includes(detail.status) ? detail : undefined;
      }),
  };
}

async function problemOf(response: Promise<Response>): Promise<Problem['error']> {
  return ((await (await response).json()) as Problem).error;
}

/** Submits a run as somebody does who does not use the server. */
async function submitElsewhere(cluster: MemoryCluster, dot: string, options: RunOptions): Promise<string> {
  const workingDirectory = temporaryDirectory();
  const submission = await prepareSubmission(compile(dot), { workingDirectory, ...options });
  if ('status' in submission) throw new Error(JSON.stringify(submission.diagnostics));
  await cluster.submit(submission);
  return submission.runId;
}

describe('a server of a cluster', () => {
  test('submits, and shows the run in the queue, on its worker, and at its end', async () => {
    const { cluster, get, ask, submit, until } = await served();
    cluster.awaited = 'a worker with gpu';
    const id = await submit(work);
    expect(await get<RunList>('/pipelines')).toMatchObject({
      runs: [
        { id, status: 'queued', worker: null, waits_for: 'a worker with gpu', steps: 0, simulated: true },
      ],
      counts: { queued: 1 },
    });
    const queued = await get<RunDetail>(`/pipelines/${id}`);
    expect(queued).toMatchObject({
      status: 'queued',
      waits_for: 'a worker with gpu',
      actions: ['pause', 'cancel'],
    });
    expect((await ask(`/pipelines/${id}/timeline`)).status).toBe(409);
    const stream = ask(`/pipelines/${id}/events`);
    await cluster.take(id);
    await until(id, 'success');
    const events = await (await stream).text();
    expect(events).toContain('event: PipelineCompleted');
    expect(events).toContain('event: end');
    expect(await get(`/pipelines/${id}/timeline`)).toMatchObject({
      visits: [{ node_id: 'start' }, { node_id: 'a' }, { node_id: 'exit' }],
    });
    const answer = await (await ask(`/pipelines/${id}/stages/a/files/response.md`)).text();
    expect(answer).toContain('[Simulated]');
    expect(await (await ask(`/pipelines/${id}/report`)).text()).toContain('<!doctype html>');
    expect(await (await ask(`/pipelines/${id}/graph`)).text()).toContain('<svg');
    const listed = await eventually(async () => (await get<RunList>('/pipelines?status=success')).runs[0]);
    expect(listed).toMatchObject({ id, steps: 1 });
  });

  test('lists what runs ask, and takes the answer to the worker', async () => {
    const { cluster, get, ask, submit, until } = await served();
    const id = await submit(gate, {});
    const end = cluster.take(id);
    await eventually(async () => {
      const [run] = (await get<RunList>('/pipelines')).runs;
      return run?.open_questions === 1 ? run : undefined;
    }).then((run) => expect(run).toMatchObject({ worker: 'host-7-abc', only_asks: true, current_node: 'g' }));
    expect(await until(id, 'running')).toMatchObject({ process: { worker: 'host-7-abc' } });
    const unfit = await ask(`/pipelines/${id}/questions/g/answer`, { answer: 'perhaps' });
    expect(unfit.status).toBe(400);
    const answer = await ask(`/pipelines/${id}/questions/g/answer`, { answer: 'No' });
    expect(await answer.json()).toMatchObject({ value: 'N', delivery: 'taken' });
    await end;
    expect(await until(id, 'success')).toMatchObject({ actions: ['fork'] });
    const late = await ask(`/pipelines/${id}/questions/g/answer`, { answer: 'No' });
    expect(late.status).toBe(409);
  });

  test('pauses, resumes and cancels', async () => {
    const { cluster, ask, submit, until } = await served();
    const id = await submit(gate, {});
    const end = cluster.take(id);
    await eventually(async () => ((await until(id, 'running')).questions.length > 0 ? true : undefined));
    expect((await ask(`/pipelines/${id}/pause`, { mode: 'now', reason: 'lunch' })).status).toBe(202);
    const paused = await until(id, 'paused');
    expect(paused).toMatchObject({
      paused_reason: 'lunch',
      actions: ['cancel', 'resume', 'fork'],
      process: null,
    });
    expect((await ask(`/pipelines/${id}/resume`, {})).status).toBe(202);
    await until(id, 'running');
    expect(await (await ask(`/pipelines/${id}/cancel`, {})).json()).toEqual({ id, status: 'cancelled' });
    await end;
    expect(await problemOf(ask(`/pipelines/${id}/cancel`, {}))).toMatchObject({ code: 'conflict' });
  });

  test('refuses what the policy of the server forbids, before anybody has it', async () => {
    const { cluster, ask } = await served();
    const tool = pipeline('t [shape=parallelogram, tool_command="true"]', 'start -> t', 't -> exit');
    expect((await ask('/pipelines', { dot: tool })).status).toBe(403);
    expect(cluster.asked.get('submit')).toBeUndefined();
  });

  test('records its limits in the run, which workers hold', async () => {
    const { cluster, submit } = await served({ bounds: { maxSteps: 7, budgetUsd: 2 } });
    const id = await submit(work, { simulate: true, budget_usd: 'none' });
    const run = await cluster.find(id);
    expect(JSON.parse(run?.history.submission.manifest ?? '')).toMatchObject({
      options: { max_steps: 7, budget_usd: 2, restricted: true },
    });
  });

  test('says why a run does not continue that the engine gave up', async () => {
    const { cluster, get, submit, until } = await served();
    const id = await submit(work);
    cluster.giveUp(id, 'three workers have died');
    expect(await until(id, 'interrupted')).toMatchObject({ failure_reason: 'three workers have died' });
    expect((await get<RunList>('/pipelines')).runs).toMatchObject([
      { id, status: 'interrupted', failure_reason: 'three workers have died' },
    ]);
  });

  test('lists why a run has failed, though nobody has watched it', async () => {
    const { cluster, get, submit } = await served();
    const script = { nodes: { a: { outcome: 'fail', failure_reason: 'no such branch' } } };
    const id = await submit(work, { script });
    await cluster.take(id);
    expect((await get<RunList>('/pipelines')).runs).toMatchObject([
      {
        id,
        status: 'fail',
        failure_reason: expect.stringContaining('no such branch'),
        tokens: 0,
        cost_usd: 0,
      },
    ]);
  });

  test('asks the database as often for a list of many runs as for one of few', async () => {
    const { cluster, get, submit } = await served();
    for (let run = 0; run < 20; run += 1) await submit(work);
    cluster.asked.clear();
    const lists = await Promise.all(Array.from({ length: 5 }, () => get<RunList>('/pipelines?limit=50')));
    for (const { runs } of lists) expect(runs).toHaveLength(20);
    expect(Object.fromEntries(cluster.asked)).toEqual({ list: 1, news: 1 });
  });

  test('lists workers, and has no run that is not in the database', async () => {
    const { cluster, ask, get } = await served();
    cluster.atWork.push(worker);
    expect(await get('/workers')).toEqual({
      workers: [{ ...worker, started: '1970-01-01T00:00:00.000Z', beat: '1970-01-01T00:00:01.000Z' }],
    });
    expect(await get('/capabilities')).toMatchObject({ has_workers: true });
    for (const id of ['nope', '..', '%2e%2e%2fsecret'])
      expect((await ask(`/pipelines/${id}/source`)).status).toBe(404);
    expect(await (await ask('/events?runs=nope')).text()).toContain('"http_status":404');
  });
});

describe('a run of a cluster that has ended', () => {
  /** `b` fails as long as `ok` is not yes. */
  const line = pipeline('graph [inputs="ok = no"]', 'a', 'b', 'c', 'start -> a -> b -> c -> exit');
  const handlers = new HandlerRegistry().register('codergen', {
    execute: async ({ node, context, writeFile }) => {
      writeFile('response.md', `from ${node.id}`);
      return { status: node.id === 'b' && context.get('inputs.ok') !== 'yes' ? 'fail' : 'success' };
    },
  });

  async function failedRun(options: TestOptions = {}) {
    const server = await served(options, { handlers });
    const id = await server.submit(line, {});
    await server.cluster.take(id);
    expect(await server.until(id, 'fail')).toMatchObject({ actions: ['resume', 'fork'] });
    const visits = async (run: string): Promise<readonly string[]> => {
      const { visits } = await server.get<Timeline>(`/pipelines/${run}/timeline`);
      return visits.map(({ node_id }) => node_id);
    };
    return { ...server, id, visits };
  }

  test('continues on a worker, with what the request says', async () => {
    const { ask, until, id, visits, cluster } = await failedRun({ bounds: { maxSteps: 50, budgetUsd: 3 } });
    const resumed = await ask(`/pipelines/${id}/resume`, {
      from: 'a',
      inputs: { ok: 'yes' },
      max_steps: 70,
      budget_usd: 'none',
    });
    expect(resumed.status).toBe(202);
    await until(id, 'success');
    expect(await visits(id)).toEqual(['start', 'a', 'b', 'a', 'b', 'c', 'exit']);
    const events = (await cluster.find(id))?.history.run.events ?? [];
    expect(events.find(({ type }) => type === 'PipelineResumed')).toMatchObject({
      max_steps: 50,
      budget_usd: 3,
    });
  });

  test('may fail again as it is, and is left alone by requests that do not fit it', async () => {
    const { ask, until, id, visits } = await failedRun();
    const before = await visits(id);
    for (const [body, says] of [
      [{ from: 'nowhere' }, 'nowhere'],
      [{ stage_budgets: { nowhere: { usd: 1 } } }, 'nowhere'],
    ] as const)
      expect(await problemOf(ask(`/pipelines/${id}/resume`, body))).toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining(says),
      });
    expect(await visits(id)).toEqual(before);
    expect((await ask(`/pipelines/${id}/resume`, {})).status).toBe(202);
    await eventually(async () => ((await visits(id)).length > before.length ? true : undefined));
    await until(id, 'fail');
    expect((await visits(id)).at(-1)).toBe('b');
  });

  test('is forked, and the new run continues on a worker with the files of the shared stages', async () => {
    const { cluster, ask, get, until, id, visits } = await failedRun();
    const forked = await ask(`/pipelines/${id}/fork`, { at: 'b' });
    expect(forked.status).toBe(201);
    const fork = (await forked.json()) as AcceptedRun;
    expect(forked.headers.get('location')).toBe(`/pipelines/${fork.id}`);
    expect(await get(`/pipelines/${fork.id}`)).toMatchObject({ forked_from: { run_id: id } });
    const end = cluster.take(fork.id);
    expect((await ask(`/pipelines/${fork.id}/resume`, { inputs: { ok: 'yes' } })).status).toBe(202);
    await end;
    await until(fork.id, 'success');
    expect(await visits(fork.id)).toEqual(['start', 'a', 'b', 'c', 'exit']);
    const file = await ask(`/pipelines/${fork.id}/stages/a/files/response.md`);
    expect(await file.text()).toBe('from a');
    await until(id, 'fail');
    expect((await get<RunList>('/pipelines')).runs.map((run) => run.status)).toEqual(['success', 'fail']);
  });

  test('is forked and continued at once; nothing is forked that never got there', async () => {
    const { cluster, ask, until, id } = await failedRun();
    expect(await problemOf(ask(`/pipelines/${id}/fork`, { at: 'c' }))).toMatchObject({ code: 'bad_request' });
    const forking = ask(`/pipelines/${id}/fork`, { step: 1, resume: true });
    const [fork] = await eventually(async () => {
      const runs = await cluster.list();
      return runs.length > 1 ? runs : undefined;
    });
    const end = cluster.take(fork?.runId ?? '');
    expect(await (await forking).json()).toMatchObject({ id: fork?.runId });
    await end;
    await until(fork?.runId ?? '', 'fail');
  });

  test('is not forked before it has begun', async () => {
    const { ask, submit } = await served();
    const id = await submit(work);
    expect(await problemOf(ask(`/pipelines/${id}/fork`, {}))).toMatchObject({
      code: 'conflict',
      message: 'the run cannot be forked: it never started',
    });
  });

  test('does not begin again on a server that may not run what it runs, and loads no plugin of its own', async () => {
    const { cluster, ask, until } = await served();
    const directory = temporaryDirectory();
    const plugin = path.join(directory, 'plugin.mjs');
    writeFileSync(plugin, `throw new Error('loaded')`);
    const tool = pipeline('t [shape=parallelogram, tool_command="false"]', 'start -> t -> exit');
    const refused = async (dot: string, options: RunOptions, problem: object): Promise<void> => {
      const id = await submitElsewhere(cluster, dot, options);
      await cluster.take(id);
      await until(id, 'fail', 'success');
      for (const [action, body] of [
        ['resume', { from: 'start' }],
        ['fork', { step: 0 }],
      ] as const)
        expect(await problemOf(ask(`/pipelines/${id}/${action}`, body))).toMatchObject(problem);
    };
    await refused(tool, {}, { code: 'not_allowed' });
    const extensions = { plugins: [{ module: plugin }], rules: {} };
    await refused(
      work,
      { simulate: true, extensions },
      {
        code: 'bad_request',
        message: expect.stringContaining('which the configuration of this server does not name'),
      },
    );
  });
});

describe('a run from elsewhere, on a server with a budget of 3 dollars', () => {
  const bounds = { budgetUsd: 3 };

  /** Budgets with which the runs of a cluster have continued. */
  async function continuedWith(cluster: MemoryCluster, id: string): Promise<readonly unknown[]> {
    const run = await cluster.find(id);
    await run?.refresh();
    const events = run?.history.run.events ?? [];
    return events.flatMap((event) => (event.type === 'PipelineResumed' ? [event.budget_usd] : []));
  }

  test.each([
    [10, 3],
    ['none', 3],
    [2, undefined],
  ] as const)('with a budget of %s, paused: it continues with %s', async (budgetUsd, wanted) => {
    const { cluster, ask, until } = await served({ bounds });
    const id = await submitElsewhere(cluster, gate, { budgetUsd });
    const end = cluster.take(id);
    await eventually(async () => ((await until(id, 'running')).questions.length > 0 ? true : undefined));
    await ask(`/pipelines/${id}/pause`, { mode: 'now' });
    await until(id, 'paused');
    expect((await ask(`/pipelines/${id}/resume`, {})).status).toBe(202);
    await until(id, 'running');
    expect(await continuedWith(cluster, id)).toEqual([wanted]);
    await ask(`/pipelines/${id}/cancel`, {});
    await end;
  });

  const usage = { requests: 1, input_tokens: 1, output_tokens: 1 };
  const failing = (cost: number) =>
    new HandlerRegistry().register('codergen', {
      execute: async (stage) => {
        stage.report({ kind: 'model_used', provider: '', model: 'm', usage: { ...usage, cost_usd: cost } });
        return { status: 'fail' };
      },
    });

  async function failedElsewhere(cost: number) {
    const server = await served({ bounds }, { handlers: failing(cost) });
    const id = await submitElsewhere(server.cluster, work, { budgetUsd: 10 });
    await server.cluster.take(id);
    await server.until(id, 'fail');
    return { ...server, id };
  }

  test('that has failed: it continues with 3, and so does a fork of it', async () => {
    const { cluster, ask, until, id } = await failedElsewhere(1);
    expect((await ask(`/pipelines/${id}/resume`, {})).status).toBe(202);
    await eventually(async () => ((await continuedWith(cluster, id)).length > 0 ? true : undefined));
    expect(await continuedWith(cluster, id)).toEqual([3]);
    await until(id, 'fail');
    const forking = ask(`/pipelines/${id}/fork`, { step: 1, resume: true });
    const fork = await eventually(async () => (await cluster.list()).find(({ runId }) => runId !== id));
    const end = cluster.take(fork.runId);
    expect((await forking).status).toBe(201);
    await end;
    expect(await continuedWith(cluster, fork.runId)).toEqual([3]);
  });

  test('that has used more than the server allows: it does not continue', async () => {
    const { cluster, ask, id } = await failedElsewhere(4);
    expect(await problemOf(ask(`/pipelines/${id}/resume`, {}))).toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('has used $4.00, and this server lets no run use more than $3.00'),
    });
    expect(await continuedWith(cluster, id)).toEqual([]);
  });
});
