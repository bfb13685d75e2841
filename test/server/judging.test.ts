import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile, compileJudged } from '../../src/compiler/compile.js';
import { countDiagnostics } from '../../src/diagnostic/diagnostic.js';
import { SourceText } from '../../src/diagnostic/source.js';
import type { LintRule } from '../../src/lint/rule.js';
import { parseDot } from '../../src/parser/dot/parse.js';
import type { ChosenExtensions } from '../../src/plugins/load-extensions.js';
import { pipelineFiles } from '../../src/run/pipeline-files.js';
import { noRedactor } from '../../src/secrets/redactor.js';
import type { DiagnosticJson } from '../../src/server/api/problem.js';
import { createApp } from '../../src/server/app.js';
import { diagnosticsJson } from '../../src/server/diagnostics-json.js';
import { judgeBy } from '../../src/server/judging/judge-pipeline.js';
import { judgeText, type TextToJudge } from '../../src/server/judging/judge-text.js';
import { judgedPipeline } from '../../src/server/judging/judged-pipeline.js';
import { ProblemError } from '../../src/server/problem-error.js';
import { extensionsFor } from '../../src/setup/extensions.js';
import { ThreadEndedError, ThreadsBusyError } from '../../src/threads/thread-pool.js';
import { fixturesIn } from '../support/fixtures.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { askedServer } from './asked-server.js';

const name = 'pipeline.dot';
const plain: Omit<TextToJudge, 'text'> = {
  name,
  handlerTypes: [],
  ruleSettings: new Map(),
  files: undefined,
  mostJudged: undefined,
  checks: 'all',
};
const extensions: ChosenExtensions = await extensionsFor('-', { config: false }, { cwd: () => '/', env: {} });
const pipeline = 'digraph g { start [shape=Mdiamond] a exit [shape=Msquare] start -> a -> exit a -> lost }';

/** The task as a thread performs it: its input and its result are copies. */
const onThread = async (text: TextToJudge) => structuredClone(judgeText(structuredClone(text)));

describe('a text that is judged on another thread', () => {
  test.each(fixturesIn('lint').map((fixture) => [fixture.name, fixture.text] as const))(
    '%s has the findings that lint has',
    async (_, text) => {
      const { source, diagnostics } = compile(text, { name });
      expect(await onThread({ ...plain, text })).toEqual({
        kind: 'judged',
        diagnostics: diagnosticsJson(diagnostics, source),
        summary: countDiagnostics(diagnostics),
      });
    },
  );

  test('finds errors in the files that it names, with their positions there', async () => {
    const directory = temporaryDirectory();
    mkdirSync(path.join(directory, 'sub'));
    writeFileSync(path.join(directory, 'sub/child.dot'), 'digraph child { start [shape=Mdiamond] }');
    const text = pipeline.replace(' a ', ' a [type=pipeline, child="sub/child.dot"] ');
    const files = pipelineFiles(undefined, { directory, secrets: noRedactor });
    const { source, diagnostics } = compile(text, { name, files });
    const judged = await onThread({
      ...plain,
      text,
      files: { directory, secrets: { literals: [], names: [] } },
    });
    expect(judged).toMatchObject({ diagnostics: diagnosticsJson(diagnostics, source) });
    expect(JSON.stringify(judged)).toContain('sub/child.dot');
  });

  test('is compiled without lint, and has the program that it would have', () => {
    const text = pipeline.replace('a -> lost', '');
    const { program, graph } = compile(text, { name });
    const judged = compileJudged(text, { name }, true);
    expect(program).toBeDefined();
    expect(judged).toMatchObject({ program, graph, diagnostics: [] });
    expect(compileJudged(pipeline, { name }, false).program).toBeUndefined();
  });
});

describe('a hostile text', () => {
  test('has the findings of the parser alone if only its syntax is checked', async () => {
    const text = 'digraph g { a [prompt="x" }';
    const { diagnostics, document } = parseDot(text);
    expect(document.graph).toBeDefined();
    expect(await onThread({ ...plain, text, checks: 'syntax' })).toEqual({
      kind: 'judged',
      diagnostics: diagnosticsJson(diagnostics, new SourceText(name, text)),
      summary: countDiagnostics(diagnostics),
    });
    expect(await onThread({ ...plain, text: pipeline, checks: 'syntax' })).toMatchObject({ diagnostics: [] });
  });

  test('has its first findings in the answer, errors before others, and the number of all', async () => {
    const unknown = Array.from({ length: 6000 }, (_, index) => `x${index}=1`).join(', ');
    const judged = await onThread({ ...plain, text: `digraph g { a [${unknown}] }` });
    const { diagnostics, summary } = judged as Extract<typeof judged, { readonly kind: 'judged' }>;
    expect(diagnostics).toHaveLength(5000);
    expect(summary.warnings + summary.infos).toBeGreaterThanOrEqual(6000);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toHaveLength(summary.errors);
    expect(summary.errors).toBeGreaterThan(0);
  });

  test('is not compiled by the thread of the server if the judge could not read it', async () => {
    const judged = { kind: 'judged', summary: { errors: 7, warnings: 0, infos: 0 } } as const;
    const finding = { rule: 'syntax', severity: 'error' } as DiagnosticJson;
    const refused = judgedPipeline(request, async () => ({ ...judged, diagnostics: [finding] }));
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_pipeline',
      message: 'the pipeline has 7 errors, so it cannot run',
    });
    const compiled = await judgedPipeline(request, async () => ({ ...judged, diagnostics: [] }));
    expect(compiled.errors).toBe(7);
    expect(compiled.compilation.program).toBeUndefined();
  });

  test.each(['/format', '/render'])('is read by the judge before %s reads it', async (route) => {
    const { parts } = await askedServer();
    const judge = judgeBy(() => Promise.reject(new ThreadEndedError('it takes longer than 30 s')));
    const app = createApp({ ...parts, judge }, []);
    const headers = { 'content-type': 'text/vnd.graphviz' };
    const answer = await app.request(route, { method: 'POST', headers, body: pipeline });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('it takes longer than 30 s');
  });
});

const request = {
  text: pipeline,
  name,
  extensions,
  files: undefined,
  mostJudged: undefined,
  checks: 'all',
} as const;

describe('a judge', () => {
  test('refuses what its thread gave up, with the reason and what to do', async () => {
    const judge = judgeBy(() => Promise.reject(new ThreadEndedError('it takes longer than 30 s')));
    await expect(judge(request)).rejects.toMatchObject({
      code: 'bad_request',
      message:
        'the server gave up checking the pipeline: it takes longer than 30 s. Check it with `attractor lint`',
    });
    await expect(judge(request)).rejects.toThrow(ProblemError);
  });

  test.each([new ThreadsBusyError('2 pipelines are being checked and 200 wait'), new Error('a bug')])(
    'passes on %s',
    async (error) => {
      await expect(judgeBy(() => Promise.reject(error))(request)).rejects.toBe(error);
    },
  );

  test('refuses what is too large, without judging it', async () => {
    await expect(judgeBy(onThread)({ ...request, mostJudged: 5 })).rejects.toMatchObject({
      code: 'bad_request',
      message:
        'the pipeline has 6 nodes, edges and subgraphs; a server checks at most 5. Check it with `attractor lint`',
    });
  });

  test('asks rules of plugins on this thread', async () => {
    const rule: LintRule = {
      name: 'team_rule',
      severity: 'warning',
      summary: 'It is said.',
      *apply(graph) {
        yield { message: `seen: ${graph.name}`, span: { start: 0, end: 7 } };
      },
    };
    const judge = judgeBy(() => Promise.reject(new Error('not here')));
    const judged = await judge({ ...request, extensions: { ...extensions, rules: [rule] } });
    expect(judged.diagnostics.map(({ message }) => message)).toContain('seen: g');
    expect(judged.diagnostics.map(({ rule: own }) => own)).toContain('edge_target_exists');
  });
});
