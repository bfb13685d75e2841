import { describe, expect, it } from 'vitest';
import { makeRedactor } from '../../src/secrets/redactor.js';
import { type LogOptions, lineLog } from '../../src/telemetry/log.js';

function logged(format: LogOptions['format'], write: (log: ReturnType<typeof lineLog>) => void): string {
  const lines: string[] = [];
  const redactor = makeRedactor([{ name: 'KEY', value: 'a-very-secret-"value"' }]);
  write(lineLog({ format, write: (line) => lines.push(line), redactor, now: () => 0 }));
  return lines.join('');
}

describe('the log of a server', () => {
  it('is a line for people, in which nothing looks like another line', () => {
    const text = logged('text', (log) =>
      log.write('warning', 'two\nlines \u001b[31m', {
        run: 'r-1',
        name: 'a "b"\n\u2028c',
        left: undefined,
        n: 2,
      }),
    );
    expect(text).toBe('1970-01-01T00:00:00.000Z warning two lines  [31m run=r-1 name="a \\"b\\"\\n c" n=2\n');
  });

  it('is an object a line for programs', () => {
    const text = logged('json', (log) => log.write('info', 'two\nlines', { status: 200, ok: true }));
    expect(text.endsWith('\n')).toBe(true);
    expect(JSON.parse(text)).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      message: 'two\nlines',
      status: 200,
      ok: true,
    });
  });

  it.each(['text', 'json'] as const)('has no secret as %s', (format) => {
    const text = logged(format, (log) => log.write('info', 'x', { header: 'a-very-secret-"value"' }));
    expect(text).toContain('[redacted:KEY]');
    expect(text).not.toContain('a-very-secret');
  });
});
