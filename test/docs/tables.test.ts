import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { exitCode } from '../../src/cli/exit-code.js';
import { compile } from '../../src/compiler/compile.js';
import { attributeDefinition } from '../../src/graph/attributes.js';
import { evaluateCondition } from '../../src/graph/evaluate-condition.js';
import { type HandlerType, handlerTypes } from '../../src/graph/handler-types.js';
import type { JsonValue } from '../../src/graph/json.js';
import { builtInHandlers } from '../../src/handlers/index.js';
import { outcomeDetails, statusSchema } from '../../src/handlers/read-outcome.js';
import { parseCondition } from '../../src/parser/condition/parse.js';
import { parseDot } from '../../src/parser/dot/parse.js';
import { run } from '../../src/run/run.js';
import { readScript } from '../../src/run-directory/simulation-script.js';
import { problemStatus } from '../../src/server/problem-error.js';
import {
  bodyTimeoutMs,
  burstSeconds,
  httpServerOptions,
  maxConnections,
  wrongTokens,
} from '../../src/server/security/limits.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { fieldsOfEvents } from './event-fields.js';
import { blocksOf, codeIn, readPage, root, tableOf } from './markdown.js';

const pipelines = readPage('docs/pipelines.md');
const running = readPage('docs/running.md');

/** The first code of the first cell, with the rest of its row. */
function rowsOf(page: typeof pipelines, head: string): readonly (readonly [code: string, ...string[]])[] {
  return tableOf(page, head).map(([first = '', ...rest]) => [codeIn(first)[0] ?? first, ...rest] as const);
}

/** All codes of the first cells. */
function namesIn(page: typeof pipelines, head: string): readonly string[] {
  return tableOf(page, head).flatMap(([first = '']) => codeIn(first));
}

describe('the language', () => {
  const refused = tableOf(pipelines, 'not allowed').flatMap(([snippets = '', , codes = '']) =>
    codeIn(snippets).map((snippet, index) => [snippet, codeIn(codes)[index]] as const),
  );

  it.each(refused)('refuses %s as %s', (snippet, code) => {
    const isWhole = /^(?:strict |di|graph)/.test(snippet);
    const { diagnostics } = parseDot(isWhole ? snippet : `digraph g {\n${snippet}\n}`);
    expect(diagnostics[0]).toMatchObject({ rule: 'syntax', severity: 'error', code });
  });

  it('has the shapes and types of the table, and executes them all', () => {
    const rows = tableOf(pipelines, 'shape').map(([shape = '', type = '']) => [
      codeIn(shape)[0],
      codeIn(type)[0],
    ]);
    const types = handlerTypes.map(({ shape, type }: HandlerType) => [shape, type]);
    expect(rows.toSorted()).toEqual(types.toSorted());
    expect([...builtInHandlers(undefined).keys()].toSorted()).toEqual(
      types.map(([, type]) => type).toSorted(),
    );
  });
});

describe('conditions', () => {
  const values = new Map<string, JsonValue>(
    Object.entries(JSON.parse(blocksOf(pipelines, 'json')[0]?.text ?? '')),
  );
  const scope = {
    outcome: String(values.get('outcome')),
    preferredLabel: String(values.get('preferred_label')),
    lookup: (key: string) => values.get(key),
  };

  it.each(rowsOf(pipelines, 'condition'))('%s holds: %s', (text, holds) => {
    const { condition, diagnostics } = parseCondition(text);
    expect(diagnostics).toEqual([]);
    expect(condition && evaluateCondition(condition, scope)).toBe(holds === 'yes');
  });
});

describe('retries and limits', () => {
  const presets = rowsOf(pipelines, '`retry_policy`');

  it('have all presets', () => {
    expect(presets.map(([name]) => name)).toEqual(attributeDefinition('node', 'retry_policy')?.values);
  });

  it.each(presets)('%s is %s attempts, a first pause of %s, and the factor %s', (name, ...row) => {
    const { program } = compile(`digraph g {
      start [shape=Mdiamond] done [shape=Msquare] a [prompt="x", retry_policy=${name}]
      start -> a -> done
    }`);
    const retry = program?.nodes.get('a')?.retry;
    const { initialDelayMs, factor } = retry?.backoff ?? {};
    expect(row).toEqual([`${retry?.maxAttempts}`, `${initialDelayMs} ms`, `${factor}`]);
  });

  it.each(rowsOf(pipelines, 'attribute'))('%s of a %s is %s by default', (name, owner, written) => {
    const definition = attributeDefinition(owner === 'node' ? 'node' : 'graph', name);
    expect(definition).toBeDefined();
    expect(written).toBe(String(definition?.default ?? 'unlimited'));
  });
});

describe('tools', () => {
  it('have the variables of the table', () => {
    const code = ['tool-environment.ts', 'context-file.ts']
      .map((file) => readFileSync(path.join(root, 'src/handlers/tools', file), 'utf8'))
      .join('\n')
      .replaceAll(/\/\*[\s\S]*?\*\//g, '');
    const set = new Set([...code.matchAll(/\bATTRACTOR_[A-Z_]*[A-Z]/g)].map(([name]) => name));
    const documented = namesIn(pipelines, 'variable').map((name) => name.replace('_<KEY>', ''));
    expect([...documented].sort()).toEqual([...set].sort());
  });

  it('may write the keys of the table into a status file', () => {
    const documented = namesIn(pipelines, 'key of `status.json`');
    const keys = ['outcome', 'status', 'preferred_next_label', ...Object.keys(outcomeDetails)];
    expect([...documented].sort()).toEqual(keys.sort());
    const statuses = codeIn(tableOf(pipelines, 'key of `status.json`')[0]?.[1] ?? '');
    expect(statuses).toEqual(statusSchema.options);
  });
});

describe('the context', () => {
  it('has the keys of the table and no others', async () => {
    const result = await run(
      `digraph g {
        graph [goal="Try", label="Everything"]
        start [shape=Mdiamond]
        done  [shape=Msquare]
        ask   [shape=hexagon, "human.text"=optional]
        say   [prompt="Say it"]
        tool  [shape=parallelogram, tool_command="echo '{\\"outcome\\":\\"success\\",\\"context_updates\\":{\\"mine\\":1}}' > $ATTRACTOR_STAGE_DIR/status.json"]
        check [shape=diamond]
        start -> ask -> say -> tool -> check -> done [label=on]
      }`,
      {
        runDirectory: path.join(temporaryDirectory(), 'run'),
        answers: new Map([['ask', ['on']]]),
        inputs: { given: 1 },
      },
    );
    if (result.status === 'invalid') throw new Error('the pipeline is invalid');
    const patterns = tableOf(pipelines, 'key').flatMap(([cell = '']) => codeIn(cell));
    const matches = (pattern: string, key: string): boolean =>
      pattern === '<key>'
        ? key === 'given'
        : new RegExp(`^${pattern.replaceAll('.', '\\.').replace(/<\w+>/, '.+')}$`).test(key);
    const keys = Object.keys(result.context);
    expect(keys.filter((key) => !patterns.some((pattern) => matches(pattern, key)))).toEqual(['mine']);
    expect(patterns.filter((pattern) => !keys.some((key) => matches(pattern, key)))).toEqual([]);
  });
});

describe('runs', () => {
  it('have the events of the table, with their fields', () => {
    const documented = tableOf(running, 'type').map(([type = '', , fields = '']) => [
      codeIn(type)[0],
      [...(fields.startsWith('stage') ? ['stage'] : []), ...codeIn(fields)],
    ]);
    expect(documented).toEqual([...fieldsOfEvents()]);
  });

  it('end with the exit statuses of the table', () => {
    const documented = tableOf(running, 'status').map(([status]) => Number(status));
    expect(documented).toEqual(Object.values(exitCode));
  });

  it('can be scripted as the page shows it', () => {
    const script = readScript(parse(blocksOf(running, 'yaml')[0]?.text ?? ''), 'running.md');
    expect([...script.nodes.keys(), ...script.answers.keys()]).toEqual([
      'implement',
      'review',
      'release_gate',
    ]);
  });

  it('can be scripted by the keys of the table', () => {
    const documented = namesIn(running, 'key of an entry');
    const keys = ['outcome', ...Object.keys(outcomeDetails), 'response', 'delay', 'throw'];
    expect([...documented].sort()).toEqual(keys.sort());
  });
});

describe('the server', () => {
  const page = readPage('docs/server-security.md');

  it('has the limits that the page names', () => {
    const seconds = (milliseconds: number): number => milliseconds / 1000;
    const { headersTimeout, maxHeaderSize } = httpServerOptions;
    for (const sentence of [
      `headers are not received within ${seconds(headersTimeout)} seconds, or whose body is not received within ${seconds(bodyTimeoutMs)} |`,
      `headers of more than ${maxHeaderSize / 1024} kilobytes |`,
      `\`--rate\` per second, or ${{ 5: 'five' }[burstSeconds]} times as many at once`,
      `after ${{ 10: 'ten' }[wrongTokens.atOnce]} wrong ones |`,
      `at most ${maxConnections} connections`,
    ])
      expect(page.text).toContain(sentence);
  });

  it('refuses with the statuses of the table', () => {
    const cells = tableOf(page, 'a request').map(([, cell = '']) => cell);
    const named = cells.flatMap((cell) => [...cell.matchAll(/(\d{3}) `(\w+)`/g)]);
    const ofCode: Readonly<Record<string, number>> = problemStatus;
    // Node knows a status of its own for headers.
    const wrong = named.filter(
      ([, status, code = '']) => ofCode[code] !== Number(status) && status !== '431',
    );
    expect(named.length).toBeGreaterThan(10);
    expect(wrong.map(([text]) => text)).toEqual([]);
  });
});
