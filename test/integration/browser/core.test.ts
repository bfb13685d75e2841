import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { compile } from '../../../src/compiler/compile.js';
import { fix } from '../../../src/compiler/fix.js';
import { renderPretty } from '../../../src/diagnostic/render-pretty.js';
import { format } from '../../../src/format/format.js';
import type { JsonValue } from '../../../src/graph/json.js';
import { builtInRules } from '../../../src/lint/rules/index.js';
import { simulate } from '../../../src/run/simulate/simulate.js';
import { readScript } from '../../../src/run-directory/simulation-script.js';
import { root } from '../../docs/markdown.js';
import { pipeline } from '../../run/harness.js';
import { inBrowser } from './in-browser.js';

// DESIGN 2, ARCHITECTURE invariant 1: the core runs in a browser, without a polyfill, and does there what it does here.

const example = (name: string): string => readFileSync(path.join(root, 'examples', name), 'utf8');

interface Case {
  readonly name: string;
  readonly dot: string;
  readonly script?: object;
  readonly seed?: number;
  readonly inputs?: Readonly<Record<string, JsonValue>>;
  readonly status?: string;
}

/** Together they go through every part of a simulation that is not the same in every JavaScript: time, bytes, hashes. */
const simulations: readonly Case[] = [
  {
    name: 'an example with its script',
    dot: example('release.dot'),
    script: parse(example('release.script.yaml')),
  },
  {
    name: 'branches, in the order of a seed',
    dot: example('review-loop.dot'),
    script: parse(example('review-loop.script.yaml')),
    seed: 7,
  },
  {
    name: 'hours of retries and a timeout',
    dot: pipeline('a [max_retries=30, retry_policy=patient]', 'b [timeout="2h"]', 'start -> a -> b -> exit'),
    script: { nodes: { a: { outcome: 'retry' }, b: { delay: '1d' } } },
    status: 'fail',
  },
  {
    name: 'values too large for the context, under a key that is not a name of a file',
    dot: pipeline('a', 'b [prompt="${context.größe}"]', 'start -> a -> b -> exit'),
    script: {
      nodes: { a: { context_updates: { größe: 'ä'.repeat(200_000), 'x/y': [1, 'z'.repeat(120_000)] } } },
    },
    inputs: { given: { deep: ['input '.repeat(30_000)] } },
  },
  {
    name: 'stages that touch the world, which only succeed',
    dot: pipeline(
      't [shape=parallelogram, tool_command="exit 1"]',
      'c [type=pipeline, child="nowhere.dot"]',
      'start -> t -> c -> exit',
    ),
  },
  { name: 'a pipeline that cannot run', dot: 'digraph g { a -> b [condition="=="] }', status: 'invalid' },
];

inBrowser('attractor-dot/core in Chromium', 'no server', (world) => {
  let page: Page;
  let said: readonly string[] = [];

  beforeAll(async () => {
    const opened = await world.openFile('about:blank');
    page = opened.page;
    said = opened.complaints;
    await page.setContent('<!doctype html><title>core</title>');
    await page.addScriptTag({ type: 'module', content: await bundledPage() });
    await page.waitForFunction('globalThis.core !== undefined');
  });

  it('has nothing of Node, and none is put in its place', async () => {
    const known = await page.evaluate('[typeof process, typeof Buffer, typeof setImmediate, typeof require]');
    expect(known).toEqual(Array(4).fill('undefined'));
    expect(said).toEqual([]);
  });

  it('parses, and reads on after a mistake', async () => {
    expect(await inPage('parsed', 'digraph G { a [x=1,]; a -> b; graph [goal="é"] }')).toEqual({
      statements: ['node', 'edge', 'graph_attributes'],
      codes: ['trailing_comma'],
    });
  });

  it.each(simulations)('finds the same in $name', async ({ dot }) => {
    const here = compile(dot, { name: 'page.dot' });
    expect(await inPage('linted', dot)).toEqual({
      rules: here.diagnostics.map(({ rule }) => rule),
      printed: renderPretty([here], { color: false }),
      isRunnable: here.program !== undefined,
      known: builtInRules.length,
    });
  });

  it.each(simulations)('formats and fixes $name as it is done here', async ({ dot }) => {
    const here = { formatted: format(dot), fixed: fix(dot).text };
    expect(await inPage('mended', dot)).toEqual(JSON.parse(JSON.stringify(here)));
  });

  it.each(simulations)(
    'simulates $name as it is simulated here',
    async ({ name: _, dot, status, ...setup }) => {
      const there = await inPage<Played>('simulated', dot, { ...setup, start });
      const here = await simulated(dot, setup);
      expect(there.result.status).toBe(status ?? 'success');
      expect(there).toEqual(JSON.parse(JSON.stringify(here)));
    },
  );

  const inPage = <Result>(name: string, ...given: readonly unknown[]): Promise<Result> =>
    page.evaluate(`core.${name}(...${JSON.stringify(given)})`);
});

const start = Date.UTC(2026, 0, 1);

interface Played {
  readonly result: { readonly status: string };
  readonly events: readonly object[];
}

/** The same as the page does. */
async function simulated(
  dot: string,
  { script, ...options }: Omit<Case, 'name' | 'dot' | 'status'>,
): Promise<Played> {
  const events: object[] = [];
  const result = await simulate(dot, {
    ...options,
    start,
    ...(script && { script: readScript(script, 'the test') }),
    onEvent: ({ run_id: _run, timestamp: _time, ...event }) => {
      const { graph_hash: _hash, id: _id, ...rest } = { graph_hash: '', id: '', ...event };
      events.push(rest);
    },
  });
  const { run_id: _, ...rest } = { run_id: '', ...result };
  return { result: rest, events };
}

async function bundledPage(): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input: 'test/integration/browser/page.mjs',
    platform: 'browser',
    external: [],
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  // One script, although the tokenizer is only loaded where a prompt is long.
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  const [page] = output;
  return page.code;
}
