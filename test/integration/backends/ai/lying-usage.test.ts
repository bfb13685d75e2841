import { describe, expect, test } from 'vitest';
import { mendUsage } from '../../../../src/backends/ai/mend-usage.js';
import { usageSoFar } from '../../../../src/backends/ai/usage-so-far.js';
import type { Usage } from '../../../../src/machine/usage.js';
import { answer, streams, text, wireFormats } from '../../../backends/ai/faults.js';
import { play } from '../../../backends/ai/play-replies.js';
import { eventsOf, fileOf } from '../../../run/harness.js';
import { fc } from '../../../support/fast-check.js';
import { eventStream } from '../../../support/wire-server.js';

const names = new Set([
  'input_tokens',
  'output_tokens',
  'promptTokenCount',
  'candidatesTokenCount',
  'prompt_tokens',
  'completion_tokens',
]);

/** An event with something else in place of its usage. */
function without<Value>(event: Value, found: unknown): Value {
  return JSON.parse(
    JSON.stringify(event, (key, value) => (key === 'usage' || key === 'usageMetadata' ? found : value)),
  );
}

/** An event with other counts of tokens. */
function lying<Value>(event: Value, count: unknown): Value {
  return JSON.parse(JSON.stringify(event, (key, value) => (names.has(key) ? count : value)));
}

describe('§12: usage that a provider reports and that cannot be counted costs no reply', () => {
  const cases: readonly (readonly [what: string, count: unknown, counted: number])[] = [
    ['negative', -5, 0],
    ['a fraction', 1.5, 2],
    ['a text', 'seven', 0],
    ['a number in a text', '7', 7],
    ['a list', [1], 0],
    ['null', null, 0],
    ['beyond what numbers hold', 1e300, 0],
    ['as huge as a number can be', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['absent', undefined, 0],
  ];
  for (const format of wireFormats) {
    test.each(cases)(`${format.name}: %s`, async (_what, count, counted) => {
      const events = format.reply(1, answer).map((event) => lying(event, count));
      const played = await play(format, [streams(events)]);
      expect(played.result.failure_reason).toBeUndefined();
      expect(fileOf(played.directory, 'work', 'response.md')).toBe(answer);
      expect(played.requests).toHaveLength(1);
      const used = eventsOf(played.events, 'ModelUsed').map(({ usage }) => usage);
      expect(used).toMatchObject([{ requests: 1, input_tokens: counted, output_tokens: counted }]);
      const log = eventsOf(played.events, 'LogAppended')
        .map(({ message }) => message)
        .join('\n');
      if (counted > 0) expect(log).not.toContain('budgets');
      else expect(log).toMatch(/budgets do not count/);
    });
  }

  test.each(
    wireFormats.flatMap((format) =>
      ['seven', 7, [], {}, null, undefined].map((found) => ({ format, found })),
    ),
  )('$format.name: $found in place of usage', async ({ format, found }) => {
    const events = format.reply(1, answer).map((event) => without(event, found));
    const played = await play(format, [streams(events)]);
    expect(played.result.failure_reason).toBeUndefined();
    expect(fileOf(played.directory, 'work', 'response.md')).toBe(answer);
    expect(played.result.usage).toMatchObject({ requests: 1, input_tokens: 0, output_tokens: 0 });
    const log = eventsOf(played.events, 'LogAppended').map(({ message }) => message);
    expect(log.join()).toContain('budgets do not count');
  });

  test('NaN, which is not JSON', async () => {
    const [format] = wireFormats.slice(3);
    if (format === undefined) throw new Error('there is no such format');
    const body = eventStream(...format.reply(1, answer)).replaceAll(
      /"prompt_tokens":\d+/g,
      '"prompt_tokens":NaN',
    );
    const { result, events } = await play(format, [text(body, 'text/event-stream')]);
    expect(result.failure_reason).toBeUndefined();
    expect(result.usage).toMatchObject({ requests: 1, input_tokens: 0, output_tokens: 3 });
    expect(
      eventsOf(events, 'LogAppended')
        .map(({ message }) => message)
        .join(),
    ).toContain(
      'local reported tokens that cannot be counted, so budgets do not count them: prompt_tokens is "not a number"',
    );
  });
});

test('§12: usage of a reply that breaks off does not shrink', () => {
  const told = [50, 9, 20].map((output_tokens) => ({ type: 'message_delta', usage: { output_tokens } }));
  const begun = { type: 'message_start', message: { usage: { input_tokens: 7, output_tokens: 1 } } };
  const usage = [begun, ...told].reduce<Usage | undefined>(usageSoFar, undefined);
  expect(usage).toMatchObject({ input_tokens: 7, output_tokens: 50 });
});

test('§12: any line of a stream is mended to one that can be counted, and one that can is passed on as it is', () => {
  const count = fc.oneof(fc.nat(), fc.double(), fc.string(), fc.constantFrom(null, -1, [1], {}, true));
  const usage = fc.dictionary(fc.constantFrom(...names, 'cache_read_input_tokens', 'details'), count);
  fc.assert(
    fc.property(fc.constantFrom('usage', 'usageMetadata'), usage, (name, counts) => {
      const line = `data: ${JSON.stringify({ [name]: counts, text: 'x' })}`;
      const mended = mendUsage(line);
      const { [name]: found, text: rest } = JSON.parse(mended.line.slice(5));
      expect(rest).toBe('x');
      for (const key of Object.keys(counts).filter((one) => one !== 'details'))
        expect(found[key] === null || (Number.isSafeInteger(found[key]) && found[key] >= 0)).toBe(true);
      if (mended.problems.length === 0) expect(mended.line).toBe(line);
    }),
  );
});
