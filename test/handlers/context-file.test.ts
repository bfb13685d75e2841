import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { jsonOf, pipeline, resumePipeline, runOnDisk } from '../run/harness.js';

/** A pipeline whose first stage sets values for its second, a command. */
const reading = (command: string): string =>
  pipeline(
    'graph [goal="Ship it"]',
    'set [type=set]',
    `t [shape=parallelogram, tool_command=${JSON.stringify(command)}]`,
    'start -> set -> t -> exit',
  );

const values = {
  'a.note': 'flat',
  report: { text: 'x'.repeat(300_000), list: [1, null] },
  ['__proto__']: 'a key like any other',
  shell: '$(touch pwned) `id` \' " \n',
};
const handlers = { set: () => ({ status: 'success' as const, context_updates: values }) };

test('111: a command that mentions $ATTRACTOR_CONTEXT gets the whole context as a file', async () => {
  const { directory, result } = await runOnDisk(
    reading('cat "$ATTRACTOR_CONTEXT" >/dev/null && echo "$ATTRACTOR_CONTEXT"'),
    {
      handlers,
      inputs: { who: 'you' },
    },
  );
  expect(result.context['tool.last_line']).toBe(path.join(directory, 't', 'context.json'));
  const written = jsonOf(directory, 't/context.json');
  expect(written).toMatchObject({
    'inputs.who': 'you',
    who: 'you',
    'graph.goal': 'Ship it',
    'a.note': 'flat',
    report: values.report,
    shell: values.shell,
  });
  expect(Object.hasOwn(written, '__proto__')).toBe(true);
});

test.each(['echo ATTRACTOR_CONTEXTS', 'echo "$ATTRACTOR_CONTEXT_FILE"', 'true'])(
  '111: no file is written for %s',
  async (command) => {
    const { directory } = await runOnDisk(reading(command), { handlers });
    expect(existsSync(path.join(directory, 't/context.json'))).toBe(false);
  },
);

test('111: the file has no secret', async () => {
  const { directory } = await runOnDisk(reading('test -s "$ATTRACTOR_CONTEXT"'), {
    handlers,
    inputs: { who: 'a "quoted"-secret-value' },
    secrets: ['a "quoted"-secret-value'],
  });
  expect(JSON.stringify(jsonOf(directory, 't/context.json'))).not.toContain('secret-value');
});

test('111: a resumed run writes the file again, from the context as it is then', async () => {
  const dot = reading('test "$(grep -c \'"ready": "yes"\' "$ATTRACTOR_CONTEXT")" = 2');
  const { directory, result } = await runOnDisk(dot, { handlers, inputs: { ready: 'no' } });
  expect(result.status).toBe('fail');
  const again = await resumePipeline(directory, { handlers, inputs: { ready: 'yes' } });
  expect(jsonOf(directory, 't/context.json')['inputs.ready']).toBe('yes');
  expect(again.result.status).not.toBe('invalid');
});
