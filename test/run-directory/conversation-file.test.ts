import { describe, expect, test } from 'vitest';
import { readConversation } from '../../src/run-directory/conversation-file.js';
import { sealed } from '../../src/run-directory/hashed-line.js';

const at = '2026-01-01T00:00:00.000Z';
const names = { run_id: 'r', node_id: 'work', visit: 1, attempt: 1, prompt_sha256: 'x' };
const entries = [
  { kind: 'begun', at, ...names, continues: false, backend: 'ai', model: 'a/b' },
  { kind: 'user', at, text: 'Überprüfe die Tests 🧪' },
  {
    kind: 'assistant',
    at,
    content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'run_command', input: { command: 'make' } }],
    end: 'complete',
  },
  { kind: 'tool_begun', at, call_id: 'c1' },
  { kind: 'tool_result', at, call_id: 'c1', tool: 'run_command', success: true, output: 'ok', duration: 7 },
  { kind: 'compacted', at, summary: 'All is well.', turns: 1 },
  { kind: 'answered', at, response: 'Done.' },
];

const lines = entries.map((entry) => `${sealed(JSON.stringify(entry))}\n`);
const whole = Buffer.from(lines.join(''));

/** Offset after each line. */
const ends = lines.map((_, index) => Buffer.byteLength(lines.slice(0, index + 1).join('')));

describe('123: a damaged conversation counts up to its damage, which is described', () => {
  test('cut at any byte', () => {
    for (let length = 0; length <= whole.length; length += 1) {
      const complete = ends.filter((end) => end <= length).length;
      const reading = readConversation(whole.subarray(0, length));
      expect(reading).toEqual({
        entries: entries.slice(0, complete),
        size: ends[complete - 1] ?? 0,
        problem: undefined,
      });
    }
  });

  test('with any bit flipped', () => {
    let undetected = 0;
    for (let index = 0; index < whole.length; index += 1) {
      const line = ends.findIndex((end) => index < end);
      for (let bit = 0; bit < 8; bit += 1) {
        const bytes = Buffer.from(whole);
        bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
        const reading = readConversation(bytes);
        // What is used is as it was written.
        expect(reading.entries).toEqual(entries.slice(0, reading.entries.length));
        expect(reading.entries.length).toBeGreaterThanOrEqual(line);
        if (reading.entries.length === entries.length) undetected += 1;
        else if (index < (ends.at(-2) ?? 0))
          expect(reading.problem).toMatch(new RegExp(`^line ${line + 1}: .+`));
      }
    }
    // Flips in the name of the hash, which change nothing.
    expect(undetected).toBeLessThanOrEqual(lines.length * 8 * ',"hash":"'.length);
  });

  test('with lines of a newer version, which may mean anything', () => {
    const newer = `${sealed(JSON.stringify({ kind: 'thought', at }))}\n`;
    const reading = readConversation(Buffer.from([...lines.slice(0, 2), newer, ...lines.slice(2)].join('')));
    expect(reading).toMatchObject({ entries: entries.slice(0, 2), size: ends[1] });
    expect(reading.problem).toMatch(/^line 3: kind: /);
  });

  test('of an older version has no hashes, and counts', () => {
    const older = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    expect(readConversation(Buffer.from(older))).toMatchObject({ entries, problem: undefined });
  });
});
