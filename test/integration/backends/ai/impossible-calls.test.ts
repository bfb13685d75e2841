import { describe, expect, test } from 'vitest';
import { bench, models, stage } from '../../../backends/ai/bench.js';
import { eventsOf, fileOf } from '../../../run/harness.js';
import { calls, says } from '../../../support/mock-models.js';

const missing = ['launch_rocket', { now: true }] as const;
const broken = ['read_file', '{"path": "a.t'] as const;

describe('a model that makes only calls that cannot be made ends after ten replies, not after all its requests', () => {
  for (const { name, attributes } of models) {
    test.each<readonly [what: string, call: readonly [string, object | string], said: RegExp]>([
      [
        'to a tool that does not exist',
        missing,
        /"launch_rocket": there is no tool "launch_rocket"; you have /,
      ],
      [
        'with broken JSON',
        broken,
        /"read_file": (?:its input is not valid JSON: \{"path": "a\.t|.*path.*expected)/,
      ],
    ])(`${name}: %s`, async (_what, call, said) => {
      const it = await bench(Array.from({ length: 100 }, () => calls(call)));
      const { result, events } = await it.run(stage(`${attributes}, max_retries=0`));
      expect(it.mock.requests()).toHaveLength(10);
      expect(result.failure_reason).toMatch(
        /^the model made only calls that cannot be made in 10 replies in a row/,
      );
      expect(result.failure_reason).toMatch(said);
      expect(eventsOf(events, 'StageFailed')[0]?.outcome).toMatchObject({ retryable: true });
      const told = eventsOf(events, 'ToolCallCompleted');
      expect(told).toHaveLength(10);
      expect(told.every(({ success }) => !success)).toBe(true);
    });
  }

  test('but one call that can be made gives it another ten', async () => {
    const nine = Array.from({ length: 9 }, (_, index) => calls(index % 2 === 0 ? missing : broken));
    const it = await bench([...nine, calls(['list_files', {}], missing), ...nine, says('Done.')]);
    const { result, directory } = await it.run(stage('llm_model="claude-sonnet-4-5"'));
    expect(result.status).toBe('success');
    expect(fileOf(directory, 'work', 'response.md')).toBe('Done.');
  });

  test.each(models)(
    '$name: the broken input is sent back in a form that the provider takes',
    async ({ attributes }) => {
      const it = await bench([calls(broken), says('Done.')]);
      expect((await it.run(stage(attributes))).result.status).toBe('success');
      const inputs: unknown[] = [];
      JSON.stringify(it.bodies[1], (key, value) => {
        if (['input', 'args', 'arguments'].includes(key) && !Array.isArray(value)) inputs.push(value);
        return value;
      });
      expect(inputs).toHaveLength(1);
      for (const input of inputs)
        expect(typeof input === 'string' ? JSON.parse(input) : input).toEqual(expect.any(Object));
    },
  );
});
