import type { Redactor } from '../secrets/redactor.js';

export type LogLevel = 'info' | 'warning' | 'error';

/** Fields of a message; text, numbers and flags only, so that a line stays a line. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Log of a server, for those who operate it. */
export interface Log {
  write(level: LogLevel, message: string, fields?: LogFields): void;
}

export interface LogOptions {
  /** `json` writes one object a line, for programs. */
  readonly format: 'text' | 'json';
  /** Receives whole lines. */
  readonly write: (line: string) => unknown;
  readonly redactor: Redactor;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A log of lines, without secrets. */
export function lineLog({ format, write, redactor, now }: LogOptions): Log {
  return {
    write(level, message, fields = {}) {
      const time = new Date(now()).toISOString();
      const line =
        format === 'json'
          ? redactor.jsonText(jsonLine(time, level, message, fields))
          : redactor.text(textLine(time, level, message, fields));
      write(`${line}\n`);
    },
  };
}

/** Discards every message. */
export const silentLog: Log = { write: () => undefined };

function jsonLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  return JSON.stringify({ time, level, message, ...fields });
}

/** `2026-01-31T12:00:00.000Z info run started run=… name="two words"` */
function textLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${valueText(value)}`],
  );
  return [time, level, onOneLine(message), ...parts].join(' ');
}

function valueText(value: string | number | boolean): string {
  const text = String(value);
  return /^[\w./:@{}-]+$/.test(text) ? text : onOneLine(JSON.stringify(text));
}

/**
 * Replaces control characters, so that a text of a client or an author cannot pass for another line, nor
 * reach a terminal as a command.
 */
function onOneLine(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ');
}
