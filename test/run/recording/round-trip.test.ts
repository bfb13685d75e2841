import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { categoryOf, failureOfError, messageOf } from '../../../src/handlers/error-category.js';
import { StageCrash, StageSuspension } from '../../../src/handlers/handler.js';
import { systemClock } from '../../../src/run/driver/clock.js';
import type { Exchange } from '../../../src/run/recording/exchange.js';
import { outputBytes } from '../../../src/run/recording/recorded-output.js';
import { Recorder } from '../../../src/run/recording/recorder.js';
import { readRecordingFile } from '../../../src/run/recording/recording-file.js';
import { recordThrown, thrownAgain } from '../../../src/run/recording/thrown.js';
import { nodeFileSystem } from '../../../src/run-directory/file-system.js';
import { fc } from '../../support/fast-check.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('__proto__', 'constructor', '', '\n\u2028'),
);
// What JSON gives back as it was: no negative zero.
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));
const natural = fc.nat(1_000_000);

const act = fc.oneof(
  fc.record({
    kind: fc.constant('progress' as const),
    at: natural,
    progress: fc.record({
      kind: fc.constant('text' as const),
      channel: fc.constantFrom('response' as const, 'reasoning' as const),
      text,
    }),
  }),
  fc.record({
    kind: fc.constant('progress' as const),
    at: natural,
    progress: fc.record({
      kind: fc.constant('tool_call_started' as const),
      call_id: text,
      tool: text,
      input: json,
    }),
  }),
  fc.record({ kind: fc.constant('budget' as const), at: natural }),
  fc.record({
    kind: fc.constant('log' as const),
    at: natural,
    level: fc.constantFrom('info' as const, 'warning' as const),
    message: text,
  }),
  fc.record({ kind: fc.constant('file' as const), at: natural, name: text, text }),
);

const request = fc.oneof(
  fc.record({
    kind: fc.constant('backend' as const),
    prompt: text,
    model: text,
    labels: fc.array(text),
    targets: fc.array(text),
  }),
  fc.record({
    kind: fc.constant('tool' as const),
    command: text,
    directory: text,
    environment: fc.array(fc.tuple(text, text)),
  }),
  fc.record({ kind: fc.constant('handler' as const), type: text }),
);

const reply = fc.oneof(
  fc.record({ kind: fc.constant('returned' as const), value: json }),
  fc.constant({ kind: 'returned' as const }),
  fc.constant({ kind: 'no_directory' as const }),
  fc.record({
    kind: fc.constant('threw' as const),
    thrown: fc.record({ kind: fc.constant('suspended' as const), reason: text }),
  }),
  fc.record({
    kind: fc.constant('tool_ended' as const),
    end: fc.record({
      exit: fc.record({ kind: fc.constant('code' as const), code: fc.nat(255) }),
      stdout: fc.record({ kind: fc.constant('text' as const), text }),
      stderr: fc.record({ kind: fc.constant('text' as const), text }),
    }),
  }),
);

const exchange: fc.Arbitrary<Omit<Exchange, 'kind' | 'session'>> = fc.record({
  place: fc.constantFrom('', 'restart-1'),
  node_id: text,
  visit: natural,
  attempt: natural,
  call: natural,
  request,
  acts: fc.array(act),
  reply,
  context_updates: fc.array(fc.tuple(text, json)),
  status_file: text,
  duration: natural,
});

test('what was written is what is read, whatever of a last line was left', () => {
  fc.assert(
    fc.property(fc.array(exchange, { maxLength: 5 }), text, (exchanges, torn) => {
      const directory = temporaryDirectory();
      const recorder = recorderIn(directory);
      recorder.open();
      for (const one of exchanges) recorder.append(one);
      recorder.close();
      const file = path.join(directory, 'recording.jsonl');
      appendFileSync(file, torn.replaceAll('\n', ' '));
      const again = recorderIn(directory);
      again.open();
      again.close();
      const { lines, size } = readRecordingFile(file, nodeFileSystem);
      expect(lines.filter(({ kind }) => kind === 'exchange')).toEqual(
        exchanges.map((one) => ({ kind: 'exchange', session: 1, ...one })),
      );
      expect(lines.filter(({ kind }) => kind === 'session').map(({ session }) => session)).toEqual([1, 2]);
      expect(size).toBe(readFileSync(file).length);
    }),
    { numRuns: 60 },
  );
});

test('what a tool printed comes back byte by byte, large outputs from a file', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .tuple(fc.uint8Array({ minLength: 1, maxLength: 50 }), fc.integer({ min: 60_000, max: 200_000 }))
      .map(([piece, length]) => Uint8Array.from({ length }, (_, index) => piece[index % piece.length] ?? 0)),
  );
  fc.assert(
    fc.property(bytes, (printed) => {
      const directory = temporaryDirectory();
      const file = path.join(directory, 'stdout.log');
      writeFileSync(file, printed);
      const kept = recorderIn(directory).keepOutput(file, printed.length);
      const back = outputBytes(JSON.parse(JSON.stringify(kept)), { directory, fileSystem: nodeFileSystem });
      expect(Buffer.compare(back, printed)).toBe(0);
      expect(kept.kind === 'file').toBe(printed.length > 64 * 1024);
    }),
    { numRuns: 40 },
  );
});

test('an error amounts to the same failure again', () => {
  const headers = fc.option(fc.record({ 'retry-after': fc.nat(5000).map(String) }), { nil: undefined });
  const error = fc
    .record({
      message: fc.string(),
      name: fc.constantFrom('Error', 'TimeoutError', 'AI_APICallError', 'AbortError', 'TypeError'),
      statusCode: fc.option(fc.constantFrom(400, 401, 408, 429, 500, 503), { nil: undefined }),
      code: fc.option(fc.constantFrom('ECONNRESET', 'ENOTFOUND', 'EWHATEVER', 'insufficient_quota'), {
        nil: undefined,
      }),
      isRetryable: fc.option(fc.boolean(), { nil: undefined }),
      cause: fc.option(fc.constant(new Error('socket hang up')), { nil: undefined }),
      headers,
    })
    .map(({ message, ...fields }) => {
      const known = Object.entries(fields).filter(([, value]) => value !== undefined);
      return Object.assign(new Error(message), Object.fromEntries(known));
    });
  fc.assert(
    fc.property(error, (thrown) => {
      const recorded = JSON.parse(JSON.stringify(recordThrown(thrown)));
      const again = thrownAgain(recorded);
      expect(failureOfError(again)).toEqual(failureOfError(thrown));
      expect(categoryOf(again)).toBe(categoryOf(thrown));
      expect(messageOf(again)).toBe(messageOf(thrown));
    }),
    // A message that is blank is none.
    { examples: [[new Error(' ')]] },
  );
});

test('what a stage throws to crash or to pause is thrown again', () => {
  const crash = thrownAgain(recordThrown(new StageCrash('gone', { retryable: true })) as never);
  expect(crash).toBeInstanceOf(StageCrash);
  expect((crash as StageCrash).outcome).toEqual({ status: 'fail', failure_reason: 'gone', retryable: true });
  expect(thrownAgain(recordThrown(new StageSuspension('later')) as never)).toBeInstanceOf(StageSuspension);
});

function recorderIn(directory: string): Recorder {
  const place = { directory, workingDirectory: directory, runId: 'run' };
  return new Recorder({ ...place, fileSystem: nodeFileSystem, clock: systemClock });
}
