import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { journalOf, linesOf } from '../../support/journal-of.js';
import { calls, mockModels, says } from '../../support/mock-models.js';
import { attractor, directoryWith, startAttractor } from './attractor.js';

const turns = 9;
const usage = { input_tokens: 3, output_tokens: 2 };

/** The hook counts the calls, and kills the process after one of them. */
const pipeline = (killed: number) => `digraph work {
  start [shape=Mdiamond]
  done [shape=Msquare]
  work [prompt="Do the work", "tool_hooks.post"="echo called >> calls; test $(wc -l < calls) != ${killed} || kill -9 $PPID"]
  start -> work -> done
}
`;

async function killed(at: number, tool: readonly [name: string, input: object]) {
  const used = [...Array.from({ length: turns - 1 }, () => calls(tool)), says('Done.')];
  const models = await mockModels(
    used.map((turn) => ({ ...turn, response: { ...(turn.response as object), usage } as never })),
  );
  const cwd = directoryWith({ 'work.dot': pipeline(at) });
  const options = { cwd, env: models.variables };
  const first = startAttractor(
    ['run', 'work.dot', '--run-dir', 'r', '--model', 'claude-sonnet-4-5'],
    options,
  );
  const { status } = await first.finished;
  expect(status).toBeNull();
  expect(models.requests()).toHaveLength(at);
  const resumed = await attractor(['resume', 'r', '--json'], options);
  expect(resumed.stderr).not.toContain('Error');
  const result = JSON.parse(resumed.stdout);
  const file = (name: string) => readFileSync(path.join(cwd, 'r', name), 'utf8');
  return { models, cwd, result, file };
}

test.each(Array.from({ length: turns - 1 }, (_, index) => index + 1))(
  '123: a process that is killed in turn %i asks for no turn twice',
  async (at) => {
    const { models, cwd, result, file } = await killed(at, ['list_files', {}]);
    expect(result.status).toBe('success');
    expect(models.requests()).toHaveLength(turns);
    expect(result.usage).toMatchObject({
      requests: turns,
      input_tokens: 3 * turns,
      output_tokens: 2 * turns,
    });
    expect(file('work/response.md')).toBe('Done.');
    // The call that was under way only reads, so it was made again.
    expect(linesOf(path.join(cwd, 'calls'))).toHaveLength(turns);
    expect(journalOf(path.join(cwd, 'r')).filter(({ type }) => type === 'ModelUsed')).toHaveLength(turns);
  },
);

test('123: a call that changes something is not made again after its process was killed', async () => {
  const { models, cwd, result } = await killed(3, ['run_command', { command: 'echo ran >> ran' }]);
  expect(result.status).toBe('success');
  expect(models.requests()).toHaveLength(turns);
  expect(linesOf(path.join(cwd, 'ran'))).toHaveLength(turns - 1);
  expect(JSON.stringify(models.requests()[3]?.body.messages.at(-1))).toContain('This call was interrupted');
});
