import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CodergenBackend } from '../../src/handlers/codergen-backend.js';
import { noUsage } from '../../src/machine/usage.js';
import { pipeline } from '../run/harness.js';
import { directoryWith } from '../support/directory-with.js';
import { show } from './screen.js';

/** Durations depend on the machine. */
const withoutTimes = (lines: readonly string[]) =>
  lines.map((line) => line.replace(/ +[0-9.]+m?s(?= |$)/, ' …'));

const evil = '\u001b[2J\u0007';

describe('the progress of a run', () => {
  test('says where the pipeline begins afresh', async () => {
    const { lines } = await show(
      pipeline(
        'a; a -> a [condition="outcome=fail", loop_restart=true]; start -> a -> exit [condition="outcome=success"]',
      ),
      { script: { a: [{ outcome: 'fail', failure_reason: 'not yet' }, {}] } },
    );
    expect(withoutTimes(lines).slice(0, 4)).toEqual([
      'G',
      '✖ a      simulated …  not yet',
      '↺ a      restart 1: the pipeline starts over here',
      '✔ a      simulated …',
    ]);
  });

  const fan = (join: string, ...more: readonly string[]) =>
    pipeline(
      `fan [shape=component, ${join}]; join [shape=tripleoctagon]`,
      'start -> fan; fan -> a -> join; fan -> b; b -> join [condition="context.open=yes"]; join -> exit',
      ...more,
    );

  test('says why a branch ended early, unless its last stage has said so', async () => {
    const { lines } = await show(fan('error_policy=continue, join_policy=k_of_n, k=1'), {
      script: { a: { delay: '1s' }, b: {} },
    });
    expect(withoutTimes(lines).filter((line) => /^[✖✔○] [ab]/.test(line))).toEqual([
      '✔ b      simulated …',
      expect.stringMatching(/^✖ b {6}branch … {2}no eligible edge leaves "b": /),
      '✔ a      simulated …',
    ]);
    const failing = await show(fan('error_policy=continue, join_policy=k_of_n, k=1'), {
      script: { a: { delay: '1s' }, b: { outcome: 'fail', failure_reason: 'red' } },
    });
    expect(failing.lines.filter((line) => line.includes('red'))).toHaveLength(1);
  });

  test('says what was stopped, and why', async () => {
    const { lines } = await show(fan('join_policy=first_success', 'a -> c; c -> join'), {
      script: { a: { delay: '1h' }, b: { context_updates: { open: 'yes' } }, c: {} },
    });
    expect(lines.find((line) => line.startsWith('○ a'))).toMatch(/stopped: the other branches have decided$/);
  });

  test('106: leaves room for the numbers of items', async () => {
    const dot = pipeline(
      'each [shape=component, foreach="${inputs.list}"]; review; sum',
      'start -> each -> review -> sum -> exit',
    );
    const { lines } = await show(dot, { columns: 80, inputs: { list: ['a', 'b'] } });
    const rows = lines.filter((line) => /^✔ (?:review|sum)/.test(line));
    expect(rows).toHaveLength(3);
    expect(new Set(rows.map((row) => row.indexOf('simulated')))).toEqual(new Set([13]));
  });

  test('keeps its columns with long types', async () => {
    const type = 'acme.research.summarise_documents';
    const { lines } = await show(pipeline(`a; b [type="${type}"]; start -> a -> b -> exit`), {
      handlers: { [type]: () => ({ status: 'success' }) },
    });
    const [, one = '', two = ''] = lines;
    expect(two).toMatch(/^✔ b {6}acme\.research\.summa… +\d+m?s$/);
    expect(one.replace(/[0-9.]+m?s$/, '').length).toBe(two.replace(/[0-9.]+m?s$/, '').length);
  });

  test('gives a remark that does not fit lines of its own, on a terminal only', async () => {
    const dot = pipeline('a; b; start -> a -> b -> exit');
    const failure_reason = 'the reason takes some words to be told, which are too many for one line';
    const script = { a: { outcome: 'fail', failure_reason, retryable: false } };
    const narrow = (await show(dot, { script, columns: 40 })).lines;
    expect(withoutTimes(narrow).slice(1, 4)).toEqual([
      '✖ a      simulated …',
      '    the reason takes some words to be',
      '    told, which are too many for one',
    ]);
    expect(narrow.slice(0, 5).filter((line) => line.length > 40)).toEqual([]);
    const piped = (await show(dot, { script })).lines;
    expect(withoutTimes(piped)[1]).toBe(`✖ a      simulated …  ${failure_reason}`);
  });

  test('cuts ids where a terminal is too narrow for them', async () => {
    const id = 'a_stage_with_quite_a_long_name_indeed';
    const { lines } = await show(pipeline(`${id}; start -> ${id} -> exit`), { columns: 40 });
    expect(lines[1]).toMatch(/^✔ a_stage_with_q[a-z_]*… +simulated +\d+m?s$/);
    expect(lines[1]?.length).toBeLessThanOrEqual(40);
  });

  test('shows what others wrote without letting it steer the terminal', async () => {
    const { lines } = await show(pipeline(`goal="a${evil}b"; a; start -> a -> exit`), {
      script: { a: { outcome: 'fail', failure_reason: `x${evil}y\r` } },
    });
    const text = lines.join('\n');
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(text).toContain('G · a␛[2J␇b');
    expect(text).toContain('x␛[2J␇y');
  });

  test('has a line for each stage under way', async () => {
    const { live } = await show(fan('join_policy=wait_all'), {
      script: { a: { delay: '2s' }, b: { delay: '1s', context_updates: { open: 'yes' } } },
      columns: 80,
    });
    expect(live.filter((lines) => lines.length > 0)).toEqual([
      ['• a      llm …'],
      ['• a      llm …', '• b      llm …'],
      ['• a      llm …'],
      ['• join   fan-in …'],
    ]);
    expect(live.at(-1)).toEqual([]);
  });

  test('says what a model does, in the words of the view', async () => {
    const backend: CodergenBackend = {
      async run(_node, _prompt, _context, { report }) {
        const call = { call_id: '1', tool: 'edit_file' };
        report({ kind: 'text', channel: 'reasoning', text: 'First\nthe tests.' });
        report({ kind: 'tool_call_started', ...call, input: { path: `src/math.ts${evil}` } });
        report({ kind: 'tool_call_completed', ...call, success: true, output: 'done', duration: 1 });
        report({ kind: 'model_used', provider: 'acme', model: 'x', usage: noUsage });
        report({ kind: 'text', channel: 'response', text: 'And now ' });
        report({ kind: 'text', channel: 'response', text: 'the rest, with some more words than fit' });
        return Promise.resolve('done');
      },
    };
    const { live, lines } = await show(pipeline('a; start -> a -> exit'), { columns: 60, backend });
    expect(live.filter((now) => now.length > 0).flat()).toEqual([
      '• a      llm …',
      '• a      llm …  the tests.',
      '• a      llm …  edit_file src/math.ts␛[2J␇',
      '• a      llm …  thinking after edit_file src/…',
      '• a      llm …  And now',
      '• a      llm …  …with some more words than fit',
    ]);
    expect(live.at(-1)).toEqual([]);
    expect(lines.filter((line) => line.includes('edit_file'))).toEqual([]);
  });

  test.each([
    [80, '• a      llm …  会議の記録を要約しました👍 それから直しました👍'],
    [40, '• a …  …それから直しました👍'],
    [24, '• a …  …た👍'],
  ])('counts the cells of wide characters on %d columns', async (columns, row) => {
    const backend: CodergenBackend = {
      async run(_node, _prompt, _context, { report }) {
        report({
          kind: 'text',
          channel: 'response',
          text: '会議の記録を要約しました👍 それから直しました👍',
        });
        return Promise.resolve('done');
      },
    };
    const { live } = await show(pipeline('a; start -> a -> exit'), { columns, backend });
    expect(live.flat()).toContain(row);
  });

  test('says what the stages wait for, and counts those that find no room', async () => {
    const ids = Array.from({ length: 9 }, (_, index) => `b${index}`);
    const { live } = await show(
      pipeline(
        'fan [shape=component, max_parallel=9]; join [shape=tripleoctagon]',
        'node [max_retries=2]',
        ...ids.map((id) => `${id}; fan -> ${id} -> join`),
        'start -> fan; join -> exit',
      ),
      {
        columns: 80,
        rows: 4,
        script: Object.fromEntries(
          ids.map((id) => [id, [{ outcome: 'retry', delay: '1s', retry_after_ms: 5000 }, { delay: '9s' }]]),
        ),
      },
    );
    const screens = live.map((lines) => lines.join('\n'));
    expect(screens).toContain(
      ['• b0     llm …', '• b1     llm …', '• b2     llm …', '… 6 more running'].join('\n'),
    );
    expect(screens.some((screen) => /↻ b0 +llm … {2}attempt 2 of 3 in 5 s/.test(screen))).toBe(true);
    expect(screens.some((screen) => /• b0 +llm … {2}attempt 2 of 3\n/.test(screen))).toBe(true);
    expect(Math.max(...live.map((lines) => lines.length))).toBe(4);
  });

  test('shows the stages of child runs in place of the stages that run them, each in its branch', async () => {
    const cwd = directoryWith({
      'child.dot': pipeline('work; start -> work -> exit'),
    });
    const { live } = await show(
      pipeline(
        'fan [shape=component, foreach="${inputs.list}", max_parallel=3]; join [shape=tripleoctagon]',
        'sub [type=pipeline, child="child.dot"]',
        'start -> fan -> sub -> join -> exit',
      ),
      {
        columns: 80,
        inputs: { list: ['a', 'b', 'c'] },
        workingDirectory: cwd,
        runDirectory: path.join(cwd, 'r'),
        script: { 'sub/work': { delay: '1s' } },
      },
    );
    const names = live.map((lines) => lines.map((line) => line.split(/ +/)[1]));
    const fullest = names.reduce((most, now) => (now.length > most.length ? now : most));
    expect(fullest).toHaveLength(3);
    for (const now of names) expect(new Set(now).size).toBe(now.length);
    expect(names.flat().filter((name) => name?.includes('work'))).toContain('sub#1/work');
  });
});
