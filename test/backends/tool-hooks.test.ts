import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventsOf, pipeline } from '../run/harness.js';
import { calls, type MockTurn, says } from '../support/mock-models.js';
import { bench } from './ai/bench.js';

const write = calls(['write_file', { path: 'a.txt', content: 'new' }]);

/** One stage with a model that writes a file and answers; hooks as attributes of the stage, and of the graph. */
async function run(hooks: { readonly node?: string; readonly graph?: string }) {
  const it = await bench([write, says('done')]);
  const dot = pipeline(
    'llm_model="claude-sonnet-4-5"',
    hooks.graph ?? '',
    `work [${hooks.node ?? ''}]`,
    'start -> work -> exit',
  );
  const { result, events } = await it.run(dot);
  return {
    result,
    calls: eventsOf(events, 'ToolCallCompleted'),
    logs: eventsOf(events, 'LogAppended').map(({ level, message }) => `${level}: ${message}`),
    file: (name: string) => readFileSync(path.join(it.workspace, name), 'utf8'),
    has: (name: string) => {
      try {
        return readFileSync(path.join(it.workspace, name)).length > 0;
      } catch {
        return false;
      }
    },
    told: () => JSON.stringify(it.mock.requests()[1]?.body.messages),
  };
}

const dump = (file: string) => `{ env | grep ATTRACTOR_ | sort; cat; } > ${file}`;

describe('9.7: tool hooks', () => {
  test('are told of the call in their environment and on their input', async () => {
    const { result, file } = await run({
      node: `"tool_hooks.pre"="${dump('pre')}", "tool_hooks.post"="${dump('post')}"`,
    });
    expect(result.status).toBe('success');
    const pre = file('pre');
    expect(pre).toContain('ATTRACTOR_TOOL_NAME=write_file\n');
    expect(pre).toContain('ATTRACTOR_NODE_ID=work\n');
    expect(pre).toMatch(/ATTRACTOR_TOOL_CALL_ID=\S+\n/);
    expect(pre).toContain(`ATTRACTOR_RUN_ID=${result.run_id}\n`);
    expect(pre).not.toContain('ATTRACTOR_TOOL_SUCCESS');
    expect(JSON.parse(pre.slice(pre.indexOf('{')))).toMatchObject({
      phase: 'pre',
      node_id: 'work',
      tool_name: 'write_file',
      input: { path: 'a.txt', content: 'new' },
    });
    const post = file('post');
    expect(post).toContain('ATTRACTOR_TOOL_SUCCESS=true\n');
    expect(JSON.parse(post.slice(post.indexOf('{')))).toMatchObject({
      phase: 'post',
      success: true,
      output: 'Wrote 3 bytes to a.txt.',
    });
  });

  test('65: before a call skip it by a non-zero exit, and the model is told why', async () => {
    const {
      result,
      calls: made,
      logs,
      has,
      told,
    } = await run({
      node: '"tool_hooks.pre"="echo not on a Friday >&2; exit 3"',
    });
    expect(result.status).toBe('success');
    expect(has('a.txt')).toBe(false);
    expect(made[0]).toMatchObject({ tool: 'write_file', success: false });
    expect(made[0]?.output).toContain('exit code 3: not on a Friday');
    expect(told()).toContain('not on a Friday');
    expect(logs).toContainEqual(
      'warning: tool_hooks.pre of "work" skipped the call of write_file: exit code 3: not on a Friday',
    );
  });

  test('65: after a call block nothing, and their failure is logged', async () => {
    const {
      result,
      calls: made,
      logs,
      file,
    } = await run({
      node: '"tool_hooks.post"="echo no >&2; exit 4"',
    });
    expect(result.status).toBe('success');
    expect(file('a.txt')).toBe('new');
    expect(made[0]).toMatchObject({ success: true });
    expect(logs).toContainEqual(
      'warning: tool_hooks.post of "work" failed after write_file: exit code 4: no',
    );
  });

  test("65: the node's go before the graph's", async () => {
    const graph = '"tool_hooks.pre"="exit 1"';
    expect((await run({ graph })).has('a.txt')).toBe(false);
    expect((await run({ graph, node: '"tool_hooks.pre"="exit 0"' })).has('a.txt')).toBe(true);
  });

  test('are not asked about the verdict, which does nothing', async () => {
    const it = await bench([calls(['report_outcome', { outcome: 'success' }])]);
    const { result } = await it.run(
      pipeline('work ["tool_hooks.pre"="exit 1", llm_model="claude-sonnet-4-5"]', 'start -> work -> exit'),
    );
    expect(result.status).toBe('success');
  });

  test('need not read what they are told', async () => {
    const big = 'x'.repeat(300_000);
    // In one piece: thousands of them would take seconds to put together.
    const write: MockTurn = {
      ...calls(['write_file', { path: 'a.txt', content: big }]),
      wire: { chunkSize: big.length },
    };
    const it = await bench([write, says('done')]);
    writeFileSync(path.join(it.workspace, 'a.txt'), 'old');
    const { result } = await it.run(
      pipeline('work ["tool_hooks.pre"="exit 0", llm_model="claude-sonnet-4-5"]', 'start -> work -> exit'),
    );
    expect(result.status).toBe('success');
    expect(readFileSync(path.join(it.workspace, 'a.txt'), 'utf8')).toBe(big);
  });

  test('that cannot be started skip the call, whatever a server calls it', async () => {
    const named: MockTurn = {
      response: {
        toolCalls: [{ id: 'a\0b', name: 'write_file', arguments: '{"path":"a.txt","content":"x"}' }],
      },
    };
    const it = await bench([named, says('done')]);
    const dot = pipeline(
      'llm_model="claude-sonnet-4-5"',
      'work ["tool_hooks.pre"="true", "tool_hooks.post"="true"]',
      'start -> work -> exit',
    );
    const { result, events } = await it.run(dot);
    expect(result.failure_reason).toBeUndefined();
    const [told] = eventsOf(events, 'ToolCallCompleted');
    expect(told).toMatchObject({ success: false, output: expect.stringContaining('could not be started') });
  });
});
