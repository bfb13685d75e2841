import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { type OpenApiDocument, openApiDocument } from '../../src/server/openapi/openapi-document.js';
import { routes } from '../../src/server/routes/index.js';
import { crawls, mockModels } from '../support/mock-models.js';
import {
  type AskedServer,
  askedServer,
  askingPipeline,
  checkedPipeline,
  eventually,
  shortPipeline,
} from './asked-server.js';

const document = JSON.parse(JSON.stringify(openApiDocument(routes))) as OpenApiDocument;

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** What schemas refer to lies in the document, so that it is one schema for the judge. */
function judge(): (schema: unknown, value: unknown) => readonly unknown[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'https://contract.test/', components: document.components });
  return (schema, value) => {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"https://contract.test/#/components');
    const validate = ajv.compile(JSON.parse(text) as object);
    return validate(value) ? [] : (validate.errors ?? []);
  };
}

/** The ids of runs: one that waits for an answer, one that has ended, one to be steered, and one that has stopped. */
interface Runs {
  readonly asking: string;
  readonly ended: string;
  readonly other: string;
  readonly stopped: string;
}

type Call = (server: AskedServer, runs: Runs) => Promise<Response>;

/** A request for every operation, in an order in which each can be done. */
const calls: Readonly<Record<string, Call>> = {
  submitPipeline: (server) => server.post('/pipelines', { dot: shortPipeline, simulate: true }),
  run: (server) => server.postDot('/run', shortPipeline),
  listRuns: (server) => server.ask('/pipelines?limit=10&search=S'),
  getRun: (server, { asking }) => server.ask(`/pipelines/${asking}`),
  status: (server, { ended }) => server.ask(`/status/${ended}`),
  streamEvents: (server, { ended }) => server.ask(`/pipelines/${ended}/events`),
  streamRuns: (server, { ended }) => server.ask(`/events?runs=${ended}`),
  listQuestions: (server, { asking }) => server.ask(`/pipelines/${asking}/questions`),
  pauseRun: (server, { other }) => server.post(`/pipelines/${other}/pause`, { mode: 'now' }),
  forkRun: (server, { ended }) => server.post(`/pipelines/${ended}/fork`, { at: 'work' }),
  cancelRun: (server, { asking }) => server.post(`/pipelines/${asking}/cancel`),
  resumeRun: (server, { stopped }) => server.post(`/pipelines/${stopped}/resume`, {}),
  steerStage: async (server) => {
    const dot = shortPipeline.replace(
      '[prompt="Do $goal"]',
      '[prompt="Do $goal", llm_model="claude-sonnet-4-5"]',
    );
    const id = await server.run(dot);
    await server.until(id, 'running');
    // Its backend lets people steer it a moment after it has begun.
    return eventually(async () => {
      const answer = await server.post(`/pipelines/${id}/steer`, { stage: 'work', text: 'Use tabs.' });
      return answer.ok ? answer : undefined;
    });
  },
  answerQuestion: async (server) => {
    const id = await askingRun(server);
    return server.post(`/pipelines/${id}/questions/gate/answer`, { answer: 'Y' });
  },
  answer: async (server) => {
    const id = await askingRun(server);
    return server.post(`/answer/${id}`, { answer: 'yes' });
  },
  getGraph: (server, { ended }) => server.ask(`/pipelines/${ended}/graph?format=json`),
  getSource: (server, { ended }) => server.ask(`/pipelines/${ended}/source`),
  getCheckpoint: (server, { ended }) => server.ask(`/pipelines/${ended}/checkpoint`),
  getContext: (server, { ended }) => server.ask(`/pipelines/${ended}/context`),
  getTimeline: (server, { ended }) => server.ask(`/pipelines/${ended}/timeline?limit=5`),
  getStage: (server, { ended }) => server.ask(`/pipelines/${ended}/stages/work`),
  getStageValues: (server, { ended }) => server.ask(`/pipelines/${ended}/stages/work/values`),
  getStageConversation: (server, { ended }) =>
    server.ask(`/pipelines/${ended}/stages/work/conversation?limit=2`),
  getStageFile: (server, { ended }) => server.ask(`/pipelines/${ended}/stages/work/files/prompt.md`),
  listArtifacts: (server, { ended }) => server.ask(`/pipelines/${ended}/artifacts`),
  getArtifact: async (server) => {
    const big = 'x'.repeat(150_000);
    const script = { nodes: { work: { outcome: 'success', context_updates: { big } } } };
    const id = await server.run(shortPipeline, { script });
    await server.until(id, 'success');
    const list = await server.ask(`/pipelines/${id}/artifacts`);
    const { artifacts } = (await list.json()) as { artifacts: readonly { readonly id: string }[] };
    return server.ask(`/pipelines/${id}/artifacts/${artifacts[0]?.id}`);
  },
  getReport: (server, { ended }) => server.ask(`/pipelines/${ended}/report`),
  lint: (server) => server.postDot('/lint', 'digraph g { a -> b }'),
  check: (server) => server.postDot('/check', checkedPipeline),
  format: (server) => server.postDot('/format', 'digraph g{a->b}'),
  render: (server) => server.postDot('/render?theme=dark', shortPipeline),
  getHealth: (server) => server.ask('/health'),
  listWorkers: (server) => server.ask('/workers'),
  getCapabilities: (server) => server.ask('/capabilities'),
  getMetrics: (server) => server.ask('/metrics'),
  getDescription: (server) => server.ask('/openapi.json'),
  getDocs: (server) => server.ask('/docs'),
  getDocsStyle: (server) => server.ask('/docs/style.css'),
  getPage: (server) => server.ask('/'),
  getAsset: async (server) => {
    const page = await (await server.ask('/')).text();
    const [script] = /assets\/[\w.-]+\.js/.exec(page) ?? [];
    return server.ask(`/${script}`);
  },
};

async function askingRun(server: AskedServer): Promise<string> {
  const id = await server.run(askingPipeline);
  await server.untilAsked(id);
  return id;
}

async function someRuns(server: AskedServer): Promise<Runs> {
  const ended = await server.run(shortPipeline);
  const asking = await askingRun(server);
  const other = await askingRun(server);
  const stopped = await askingRun(server);
  await server.post(`/pipelines/${stopped}/cancel`);
  await server.until(stopped, 'cancelled');
  await server.until(ended, 'success');
  return { asking, ended, other, stopped };
}

describe('73, 9.5: the description of the API', () => {
  it('has every operation of §9.5 and of §11.11', () => {
    const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(described).toEqual(
      expect.arrayContaining([
        'POST /pipelines',
        'GET /pipelines/{id}',
        'GET /pipelines/{id}/events',
        'POST /pipelines/{id}/cancel',
        'GET /pipelines/{id}/graph',
        'GET /pipelines/{id}/questions',
        'POST /pipelines/{id}/questions/{qid}/answer',
        'GET /pipelines/{id}/checkpoint',
        'GET /pipelines/{id}/context',
        'POST /run',
        'GET /status/{id}',
        'POST /answer/{id}',
      ]),
    );
  });

  it('has every route, each with a name of its own', () => {
    expect(operations).toHaveLength(routes.length);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(routes.length);
  });

  it('has schemas of JSON Schema 2020-12, and every one that is referred to', () => {
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([...new Set(references)]),
    );
    expect(/\$defs|__schema/.exec(text)).toBeNull();
    const check = judge();
    for (const name of Object.keys(document.components.schemas)) {
      expect(() => check({ $ref: `#/components/schemas/${name}` }, {}), name).not.toThrow();
    }
  });

  it('tells the problems of each operation, as Problem', () => {
    for (const { operation } of operations) {
      const problems = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
      expect(problems.map(([status]) => status)).toContain('500');
      for (const [, { content }] of problems) {
        expect(content).toEqual({ 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } });
      }
    }
  });

  it('is true: every operation answers with a status, a type and a body that it describes', async () => {
    const mock = await mockModels([crawls('Let me see. '.repeat(10_000), 20)]);
    const server = await askedServer({ maxRunning: 20, variables: mock.variables });
    const runs = await someRuns(server);
    const check = judge();
    expect(Object.keys(calls).sort()).toEqual(
      operations.map(({ operation }) => operation.operationId).sort(),
    );
    for (const [name, call] of Object.entries(calls)) {
      const operation = operations.find(({ operation }) => operation.operationId === name)?.operation;
      const answer = await call(server, runs);
      expect(answer.status, `${name}: ${answer.status < 400 || (await answer.clone().text())}`).toBeLessThan(
        300,
      );
      const described = operation?.responses[answer.status];
      expect(described, `${name} answers ${answer.status}`).toBeDefined();
      const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
      const media = described?.content?.[type];
      expect(media, `${name} answers ${type}`).toBeDefined();
      const body = await answer.text();
      if (type === 'application/json') expect(check(media?.schema, JSON.parse(body)), name).toEqual([]);
      else expect(body.length, name).toBeGreaterThan(0);
    }
  });

  it('is true of problems, with the findings about a pipeline', async () => {
    const server = await askedServer();
    const check = judge();
    const problem = { $ref: '#/components/schemas/Problem' };
    for (const [answer, status] of [
      [await server.postDot('/pipelines', 'digraph {'), 400],
      [await server.ask('/pipelines/none'), 404],
      [await server.ask('/nowhere'), 404],
      [await server.ask('/pipelines', { method: 'DELETE' }), 405],
    ] as const) {
      expect(answer.status).toBe(status);
      expect(check(problem, await answer.json())).toEqual([]);
    }
  });
});
