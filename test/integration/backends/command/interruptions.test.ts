import { describe, expect, test } from 'vitest';
import { answers } from '../../../backends/other-side.js';
import { eventsOf, fileOf, pipeline, runOnDisk, testEach } from '../../../run/harness.js';
import { virtualClock } from '../../../support/virtual-clock.js';
import { dialects, FakeSide } from './fake-side.js';

const dot = (dialect: keyof typeof dialects, more = '') =>
  pipeline(`work [llm_provider="${dialects[dialect]}", ${more}max_retries=1]`, 'start -> work -> exit');
const usage = { input_tokens: 7, output_tokens: 3 };

async function played(dialect: keyof typeof dialects, scenes: ConstructorParameters<typeof FakeSide>[1]) {
  const side = new FakeSide(dialect, scenes);
  const run = await runOnDisk(dot(dialect), {
    backend: await side.backend(),
    workingDirectory: side.home,
    clock: virtualClock(),
  });
  return { ...run, side };
}

describe('123: a program whose turn ended without an answer', () => {
  testEach(
    (['claude', 'codex', 'pi'] as const).map((dialect) => ({
      name: `${dialect} continues its conversation`,
      dialect,
    })),
    async ({ dialect }) => {
      const { result, side, directory, events } = await played(dialect, [
        { kind: 'refuses', status: 500 },
        answers('Done.', { usage }),
      ]);
      expect(result.failure_reason).toBeUndefined();
      expect(result.status).toBe('success');
      const turns = side.turns().map(({ prompt, earlier }) => [prompt.split('\n')[0], earlier.length]);
      expect(turns).toEqual([
        ['Do it', 0],
        [expect.stringContaining('You were interrupted'), 1],
      ]);
      expect(fileOf(directory, 'work', 'response.md')).toBe('Done.');
      expect(JSON.stringify(eventsOf(events, 'LogAppended'))).toContain('continues its conversation');
    },
  );

  test('one that cannot resume gets its whole prompt again', async () => {
    const { result, side } = await played('text', [
      { kind: 'prints', output: 'half', status: 1 },
      { kind: 'prints', output: 'Done.' },
    ]);
    expect(['success', 'fail']).toContain(result.status);
    for (const { prompt } of side.turns()) expect(prompt).toContain('Do it');
  });
});
