import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentFact, OutputFormat } from '../../../src/backends/command/agent-fact.js';
import { claudeStream } from '../../../src/backends/command/formats/claude-stream.js';
import { codexExec } from '../../../src/backends/command/formats/codex-exec.js';
import { geminiStream } from '../../../src/backends/command/formats/gemini-stream.js';
import { outputFormats } from '../../../src/backends/command/formats/index.js';
import { opencodeJson } from '../../../src/backends/command/formats/opencode-json.js';
import { piJson } from '../../../src/backends/command/formats/pi-json.js';
import { plainText } from '../../../src/backends/command/formats/plain-text.js';
import { testEach } from '../../run/harness.js';
import { fc } from '../../support/fast-check.js';

/** What the programs themselves have printed, each against a model that followed a script. */
function outputOf(name: string): readonly string[] {
  const file = path.join(import.meta.dirname, 'outputs', `${name}.jsonl`);
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}

function read(format: OutputFormat, lines: readonly string[], hasEndedWell = true): readonly AgentFact[] {
  const reader = format.reader();
  return [...lines.flatMap((line) => reader.line(line, false)), ...reader.end(hasEndedWell)];
}

function kinds(facts: readonly AgentFact[]): readonly string[] {
  return facts.map(({ kind }) => kind);
}

const tool = ['tool_started', 'tool_ended'];

test('Claude Code says why it makes a request again, and when', () => {
  const [trouble] = read(claudeStream, outputOf('claude-401'), false).filter(
    ({ kind }) => kind === 'trouble',
  );
  expect(trouble).toEqual({
    kind: 'trouble',
    isWaiting: true,
    message:
      'the request to its model failed (401 authentication_failed); it tries again in 0.5 s (retry 1 of 1)',
    status: 401,
  });
});

describe('the output of a turn that went well', () => {
  testEach(
    [
      {
        name: 'claude-ok',
        format: claudeStream,
        expected: [
          'session',
          'tool_started',
          'usage',
          'tool_ended',
          'text',
          'usage',
          'turn_usage',
          'finished',
        ],
        used: { input_tokens: 250, output_tokens: 50 },
      },
      {
        name: 'codex-ok',
        format: codexExec,
        expected: ['session', 'trouble', ...tool, 'reasoning', 'text', 'session_usage', 'finished'],
        used: { input_tokens: 250, output_tokens: 50 },
      },
      {
        name: 'gemini-ok',
        format: geminiStream,
        expected: ['session', ...tool, 'text', 'usage', 'finished'],
        used: { input_tokens: 250, output_tokens: 50 },
      },
      {
        name: 'opencode-ok',
        format: opencodeJson,
        expected: ['session', 'tool_ended', 'usage', 'text', 'usage', 'finished'],
        used: { input_tokens: 150, output_tokens: 30 },
      },
      {
        name: 'pi-ok',
        format: piJson,
        expected: ['session', 'usage', ...tool, 'text', 'usage', 'finished'],
        used: { input_tokens: 150, output_tokens: 30 },
      },
    ] as const,
    ({ name, format, expected, used }) => {
      const facts = read(format, outputOf(name));
      expect(kinds(facts)).toEqual(expected);
      expect(facts.at(-1)).toMatchObject({ kind: 'finished', text: 'Done: wrote it.' });
      expect(facts.at(-1)).not.toMatchObject({ isCutOff: true });
      const last = facts.findLast((fact) => 'usage' in fact);
      expect(last).toMatchObject({ usage: used });
      expect(facts[0]).toMatchObject({ kind: 'session', id: expect.stringMatching(/[\w-]{20}/) });
    },
  );
});

describe('the output of a turn that failed', () => {
  testEach(
    [
      {
        name: 'claude-401',
        format: claudeStream,
        expected: { message: /Failed to authenticate/, status: 401 },
      },
      { name: 'claude-gone', format: claudeStream, expected: { message: /No conversation found/ } },
      { name: 'codex-401', format: codexExec, expected: { message: /unexpected status 401/ } },
      { name: 'codex-500', format: codexExec, expected: { message: /high demand/ } },
      { name: 'gemini-401', format: geminiStream, expected: { message: /"code":401/ } },
      {
        name: 'opencode-429',
        format: opencodeJson,
        expected: { message: /429/, status: 429, retryAfter: '1' },
      },
      { name: 'pi-401', format: piJson, expected: { message: /^401/ } },
    ],
    ({ name, format, expected: { message, ...fields } }) => {
      const last = read(format, outputOf(name), false).at(-1);
      expect(last).toMatchObject({ kind: 'failed', message: expect.stringMatching(message), ...fields });
    },
  );
});

describe('an answer that was cut off', () => {
  testEach(
    [
      { name: 'opencode-cut', format: opencodeJson },
      { name: 'pi-cut', format: piJson },
    ],
    ({ name, format }) => {
      expect(read(format, outputOf(name)).at(-1)).toEqual({
        kind: 'finished',
        text: 'And so it',
        isCutOff: true,
      });
    },
  );

  test('is told by Claude Code as a reason to stop', () => {
    const line = {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'So',
      stop_reason: 'max_tokens',
    };
    expect(read(claudeStream, [JSON.stringify(line)]).at(-1)).toMatchObject({ isCutOff: true });
  });
});

describe('every format', () => {
  const jsonFormats = outputFormats.filter((format) => format !== plainText);

  testEach(jsonFormats, (format) => {
    const junk = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({
          type: fc.constantFrom(
            'result',
            'assistant',
            'item.completed',
            'message_end',
            'step_finish',
            'text',
            'error',
          ),
          message: fc.jsonValue(),
          part: fc.jsonValue(),
          item: fc.jsonValue(),
          stats: fc.jsonValue(),
          usage: fc.jsonValue(),
          error: fc.jsonValue(),
        })
        .map((event) => JSON.stringify(event)),
    );
    fc.assert(
      fc.property(fc.array(junk), (lines) => {
        // Whatever comes, it is read; and nothing but the agent's own last word says that it has finished.
        const facts = read(
          format,
          lines.map((line) => line.replaceAll('\n', ' ')),
        );
        expect(facts.every(({ kind }) => typeof kind === 'string')).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  testEach(
    [
      { name: 'claude-ok', format: claudeStream },
      { name: 'codex-ok', format: codexExec },
      { name: 'gemini-ok', format: geminiStream },
      { name: 'pi-ok', format: piJson },
    ],
    ({ name, format }) => {
      // Cut off anywhere before its last line, an output does not say that the agent has finished.
      const lines = outputOf(name);
      for (let count = 0; count < lines.length - 1; count += 1) {
        expect(kinds(read(format, lines.slice(0, count)))).not.toContain('finished');
      }
    },
  );
});

test('plain text is an answer only where the program ended well', () => {
  expect(read(plainText, ['one', 'two']).at(-1)).toEqual({
    kind: 'finished',
    text: 'one\ntwo',
    isCutOff: false,
  });
  expect(kinds(read(plainText, ['one'], false))).toEqual(['text']);
});
