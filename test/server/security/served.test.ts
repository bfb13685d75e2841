import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApiDocument } from '../../../src/server/openapi/openapi-document.js';
import { routes } from '../../../src/server/routes/index.js';
import { type RunningServer, startServer } from '../../../src/server/start-server.js';
import { silentLog } from '../../../src/telemetry/log.js';
import { serverOptions, until } from '../runs/harness.js';
import { type RawAnswer, type RawRequest, sendRaw } from './raw-request.js';

/** What nobody may read through the server. */
const canary = 'canary-that-must-not-be-read';
const script = '<script>alert(1)</script><img src=x onerror=alert(2)>';

let server: RunningServer;
let directory: string;
let home: string;
/** A run with texts of all kinds in it that would be scripts on a page. */
let id: string;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'attractor-served-'));
  const options = serverOptions(directory, { requestsPerSecond: 100_000 });
  home = options.home;
  mkdirSync(home, { recursive: true });
  for (const place of [directory, path.dirname(home), home])
    writeFileSync(path.join(place, 'canary'), canary);
  server = await startServer(options, silentLog);
  id = await hostileRun();
});

afterAll(async () => {
  await server?.close();
  rmSync(directory, { recursive: true, force: true });
});

const json = { 'content-type': 'application/json' };

function ask(request: RawRequest): Promise<RawAnswer> {
  const authorized = { authorization: `Bearer ${server.token}` };
  return sendRaw(server.port, { ...request, headers: { ...authorized, ...request.headers } });
}

/** A run that has ended, whose every text says what a browser is not to do, and with a file and an artifact of each kind. */
async function hostileRun(): Promise<string> {
  const dot = `digraph Hostile {
    goal="${script}" label="${script}"
    start [shape=Mdiamond, label="${script}"]
    work [label="${script}", prompt="${script}", URL="javascript:alert(3)", tooltip="${script}"]
    done [shape=Msquare]
    start -> work [label="${script}"]
    work -> done
  }`;
  const outcome = {
    outcome: 'success',
    response: script,
    notes: script,
    context_updates: { [script]: script },
  };
  const body = JSON.stringify({ dot, script: { nodes: { work: [outcome] } }, inputs: { note: script } });
  const answer = await ask({ method: 'POST', path: '/pipelines', headers: json, body });
  expect([201, 202], answer.text).toContain(answer.status);
  const { id: created } = JSON.parse(answer.text) as { readonly id: string };
  await until(() => existsSync(path.join(home, created, 'result.json')), 'the end of the run');
  const run = path.join(home, created);
  writeFileSync(path.join(run, 'work', 'page.html'), `<!doctype html>${script}`);
  writeFileSync(
    path.join(run, 'work', 'picture.svg'),
    `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`,
  );
  writeFileSync(path.join(run, 'canary'), canary);
  return created;
}

const operations = Object.entries(openApiDocument(routes).paths).flatMap(([pattern, methods]) =>
  Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
    pattern,
    method: method.toUpperCase(),
    parameters: parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
    hasBody: requestBody !== undefined,
  })),
);
type Operation = (typeof operations)[number];

/** The address of an operation for what there is, but for one parameter. */
function addressOf({ pattern }: Operation, attacked: Readonly<Record<string, string>> = {}): string {
  const good: Readonly<Record<string, string>> = {
    id,
    node: 'work',
    path: 'response.md',
    aid: 'a',
    qid: 'q',
    name: 'x',
  };
  return pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => attacked[name] ?? good[name] ?? 'x');
}

function requestOf(operation: Operation, attacked?: Readonly<Record<string, string>>): RawRequest {
  const { method, hasBody } = operation;
  const body = hasBody ? { headers: json, body: '{}' } : {};
  return { method, path: addressOf(operation, attacked), ...body };
}

/** The code of a problem. */
function codeOf({ text, headers }: RawAnswer): string {
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const { error } = JSON.parse(text) as {
    readonly error: { readonly code: string; readonly message: string };
  };
  expect(error.message.length).toBeGreaterThan(10);
  return error.code;
}

async function isWell(): Promise<void> {
  const { status, text } = await sendRaw(server.port, { path: '/health' });
  expect(status).toBe(200);
  expect(Object.keys(JSON.parse(text) as object).sort()).toEqual(['status', 'version']);
}

describe('§9.5 every operation', () => {
  test('is among those that are attacked here', () => {
    expect(operations.length).toBeGreaterThan(20);
    expect(operations.filter(({ parameters }) => parameters.length > 0).length).toBeGreaterThan(10);
  });

  const strangers: readonly (readonly [
    who: string,
    headers: Readonly<Record<string, string>>,
    refusal: string,
  ])[] = [
    ['has no token', { authorization: '' }, '401 unauthorized'],
    ['has a wrong one', { authorization: 'Bearer wrong' }, '401 unauthorized'],
    ['comes from another site', { origin: 'https://evil.example' }, '403 forbidden_origin'],
    ['comes by another name', { host: 'evil.example' }, '403 forbidden_host'],
    ['is a form of another site', { 'sec-fetch-site': 'cross-site' }, '403 forbidden_origin'],
  ];
  test.each(strangers)('refuses who %s', async (_who, headers, refusal) => {
    for (const operation of operations) {
      const isOpen = operation.pattern === '/health' && refusal.startsWith('401');
      const request = requestOf(operation);
      const without =
        headers.authorization === '' ? { ...request.headers } : { ...request.headers, ...headers };
      const answer =
        headers.authorization === undefined
          ? await ask({ ...request, headers: without })
          : await sendRaw(server.port, { ...request, headers: without });
      const found = answer.status === 200 ? '200' : `${answer.status} ${codeOf(answer)}`;
      // Wrong tokens are limited as well.
      const allowed =
        headers.authorization === 'Bearer wrong' ? [refusal, '429 too_many_requests'] : [refusal];
      expect(isOpen ? ['200'] : allowed, `${request.method} ${request.path}`).toContain(found);
    }
    await isWell();
  });

  const ways = [
    '..',
    '%2e%2e',
    '..%2f..%2fcanary',
    '%2e%2e%2f%2e%2e%2fcanary',
    '..%2fcanary',
    '%2e%2e%5ccanary',
    '..%5c..%5ccanary',
    '....%2f%2fcanary',
    'canary',
    '.',
    '%2e',
    '%2fetc%2fpasswd',
    'a%00.md',
    '%00',
    '%c0%ae%c0%ae%2fcanary',
    '%252e%252e%252fcanary',
    '__proto__',
    'constructor',
    '%',
    '%zz',
    'x'.repeat(5000),
    encodeURIComponent(script),
  ];
  test.each(ways)('leads nowhere by the parameter %s', async (way) => {
    for (const operation of operations) {
      for (const name of operation.parameters) {
        const request = requestOf(operation, { [name]: way });
        const answer = await ask(request);
        const what = `${request.method} ${request.path.slice(0, 200)}: ${answer.status}`;
        expect(answer.text, what).not.toContain(canary);
        expect(answer.text, what).not.toContain('root:');
        expect(answer.status, what).toBeLessThan(500);
        // `..` itself is taken out of an address before anybody sees it, so that another operation answers.
        if (/^(?:\.|%2e){1,2}$/i.test(way)) continue;
        expect(answer.status, what).toBeGreaterThanOrEqual(400);
        codeOf(answer);
      }
    }
    await isWell();
  });

  test('does not go up within the directory of a run', async () => {
    const stage = `/pipelines/${id}/stages/work/files`;
    expect((await ask({ path: `${stage}/response.md` })).status).toBe(200);
    for (const way of [
      '..%2fmanifest.json',
      'visit-1%2f..%2f..%2fcanary',
      '..%2fwork%2f..%2fcanary',
      '../canary',
    ]) {
      const answer = await ask({ path: `${stage}/${way}` });
      expect([400, 404], way).toContain(answer.status);
      expect(answer.text).not.toContain(canary);
    }
  });
});

describe('§9.5 what would run a command', () => {
  const around = (inside: string): string =>
    `digraph p { start [shape=Mdiamond] done [shape=Msquare] ${inside} start -> work -> done }`;
  test.each<[what: string, submission: Readonly<Record<string, unknown>>]>([
    ['a tool stage', { dot: around('work [shape=parallelogram, tool_command="touch proof"]') }],
    ['a hook', { dot: around('work [prompt="x", tool_hooks.pre="touch proof"]') }],
    ['a hook of the pipeline', { dot: around('graph ["tool_hooks.post"="touch proof"] work [prompt="x"]') }],
    ['a coding agent', { dot: around('work [prompt="x", llm_provider=codex]') }],
    ['an agent for all stages', { dot: around('work [prompt="x"]'), provider: 'claude-code' }],
    ['the backend of agents', { dot: around('work [prompt="x"]'), backend: 'acp' }],
    ['the backend of command lines', { dot: around('work [prompt="x"]'), backend: 'command' }],
    ['the tool of models', { dot: around('work [prompt="x", tools=run_command]') }],
    ['git', { dot: around('graph [git=true] work [prompt="x"]') }],
    [
      'a tool that a script stands in for',
      {
        dot: around('work [type=tool, tool_command="touch proof"]'),
        script: { nodes: { work: { outcome: 'success' } } },
      },
    ],
  ])('is refused when it is posted: %s', async (_what, submission) => {
    const before = readdirSync(home).sort();
    for (const where of ['/pipelines', '/run']) {
      const answer = await ask({
        method: 'POST',
        path: where,
        headers: json,
        body: JSON.stringify(submission),
      });
      expect(`${answer.status} ${codeOf(answer)}`).toBe('403 not_allowed');
      expect(answer.text).toContain('--allow-tools');
      const { diagnostics } = JSON.parse(answer.text) as { readonly diagnostics: readonly object[] };
      expect(diagnostics.length).toBeGreaterThan(0);
      for (const found of diagnostics)
        expect(found).toMatchObject({ rule: 'not_allowed', severity: 'error', line: 1 });
    }
    expect(readdirSync(home).sort()).toEqual(before);
    await isWell();
  });

  test('is refused when what was simulated is to be real', async () => {
    const dot = around('work [shape=parallelogram, tool_command="touch proof"]');
    const posting = { method: 'POST', headers: json } as const;
    const outcome = { outcome: 'fail', failure_reason: 'not yet' };
    const body = JSON.stringify({ dot, simulate: true, script: { nodes: { work: outcome } } });
    const posted = await ask({ ...posting, path: '/pipelines', body });
    expect([201, 202], posted.text).toContain(posted.status);
    const { id: run } = JSON.parse(posted.text) as { readonly id: string };
    await until(() => existsSync(path.join(home, run, 'result.json')), 'the end of the run');
    const resumed = await ask({
      ...posting,
      path: `/pipelines/${run}/resume`,
      body: JSON.stringify({ simulate: false, from: 'work' }),
    });
    expect(`${resumed.status} ${codeOf(resumed)}`).toBe('403 not_allowed');
  });

  test('nothing reads a file of this machine as the pipeline of a stage', async () => {
    for (const child of ['../../../canary', '/etc/passwd', path.join(directory, 'canary')]) {
      // A stage before could write the file, so that lint only warns of it.
      const dot = around(`write [prompt="x"] work [type=pipeline, child="${child}"]`);
      const answer = await ask({
        method: 'POST',
        path: '/pipelines',
        headers: json,
        body: JSON.stringify({ dot: dot.replace('start ->', 'start -> write ->'), simulate: true }),
      });
      const { id: run } = JSON.parse(answer.text) as { readonly id: string };
      await until(() => existsSync(path.join(home, run, 'result.json')), 'the end of the run');
      const result = readFileSync(path.join(home, run, 'result.json'), 'utf8');
      expect(JSON.parse(result)).toMatchObject({ status: 'fail', failed_node: 'work' });
      expect(result).toContain('outside the working directory');
      expect(result).not.toContain(canary);
    }
  });
});

describe('113: a posted pipeline asks for no names of files', () => {
  test.each(['/pipelines', '/lint'])(
    '%s says the same of a file that exists and of one that does not',
    async (route) => {
      const names = [
        '../../../canary',
        '/etc/passwd',
        path.join(directory, 'canary'),
        '.',
        '/',
        '/no/such/file',
      ];
      const answers = [];
      for (const name of names) {
        const dot = `digraph p { graph [on_failure=stop] start [shape=Mdiamond] done [shape=Msquare] work [type=pipeline, child="${name}"] start -> work -> done }`;
        const { status, text } = await ask({
          method: 'POST',
          path: route,
          headers: json,
          body: JSON.stringify({ dot }),
        });
        answers.push(
          `${status} ${text.replaceAll(JSON.stringify(JSON.stringify(name)).slice(1, -1), 'NAME').replaceAll(/"end_column":\d+/g, '')}`,
        );
      }
      expect(new Set(answers).size).toBe(1);
      if (route === '/pipelines') expect(answers[0]).toMatch(/^400 .*child_exists/);
    },
  );
});

describe('§9.5 scripts in what authors and models wrote', () => {
  /** Answers that a browser would take for a page of its own accord. */
  const pages = new Set(['/', '/docs', '/pipelines/{id}/report']);

  test('run nowhere: every answer says what it is', async () => {
    const readings = operations.filter(({ method }) => method === 'GET');
    const others = ['page.html', 'picture.svg', 'response.md'].map((file) => ({
      pattern: `/pipelines/{id}/stages/work/files/${file}`,
    }));
    for (const operation of [...readings, ...others]) {
      const answer = await ask({ path: addressOf(operation as Operation) });
      const { headers } = answer;
      const what = `${operation.pattern}: ${answer.status}`;
      const policy = String(headers['content-security-policy']);
      expect(headers['x-content-type-options'], what).toBe('nosniff');
      expect(headers['referrer-policy'], what).toBe('no-referrer');
      expect(policy, what).toContain("default-src 'none'");
      if (pages.has(operation.pattern)) {
        // A page of ours has its scripts in files; what has them in itself has no site.
        expect(policy.includes("'unsafe-inline'") && !policy.includes('sandbox'), what).toBe(false);
        continue;
      }
      // A picture may be one where nothing in it may run.
      const isPicture = operation.pattern === '/pipelines/{id}/graph';
      const type = String(headers['content-type']);
      expect(isPicture ? type.replace('image/svg+xml', '') : type, what).not.toMatch(/html|xml|javascript/);
      expect(policy, what).toContain('sandbox');
      expect(policy, what).not.toMatch(/script-src|allow-scripts/);
    }
    await isWell();
  });

  test('are not part of a picture', async () => {
    const of = (request: RawRequest) => ask(request);
    const posted = { dot: `digraph p { a [label="${script}", URL="javascript:alert(3)"] }` };
    for (const answer of [
      await of({ path: `/pipelines/${id}/graph` }),
      await of({ method: 'POST', path: '/render', headers: json, body: JSON.stringify(posted) }),
    ]) {
      expect(answer.status, answer.text).toBe(200);
      expect(answer.text).toContain('&lt;script&gt;');
      const tags = answer.text.match(/<[a-z][^>]*>/gi) ?? [];
      expect(tags.length).toBeGreaterThan(5);
      expect(
        tags.filter((tag) => /^<(?:script|img|foreignObject|iframe)|\son\w+=|javascript:/i.test(tag)),
      ).toEqual([]);
      expect(answer.headers['content-security-policy']).toContain('sandbox');
    }
  });

  test('do not come back in what is said of a mistake', async () => {
    const answers = [
      await ask({ path: `/pipelines/${encodeURIComponent(script)}` }),
      await ask({ path: `/${encodeURIComponent(script)}` }),
      await ask({ method: 'POST', path: '/pipelines', headers: json, body: `{"${script}` }),
      await ask({ method: 'POST', path: '/pipelines', headers: json, body: JSON.stringify({ dot: script }) }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      codeOf(answer);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
    }
  });
});
