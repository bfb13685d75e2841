import { createInterface, type Interface } from 'node:readline';
import type { Question } from '../engine/machine/interview.js';
import type { Interviewer } from '../engine/runtime/interviewer.js';
import { matchAnswer } from '../engine/runtime/match-answer.js';
import { describeChoice } from '../graph/choices.js';

/** Where a console interviewer reads and writes. */
export interface Console {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  write(text: string): unknown;
}

export interface ConsoleInterviewer extends Interviewer {
  /** Lets go of the input, so that the process can end. */
  close(): void;
}

/**
 * Asks at the console (§6.4). An answer that fits no choice is asked for again (SEMANTICS 55c); a pipe is read line by
 * line, and at the end of the input nobody answers (SEMANTICS 87).
 */
export function consoleInterviewer(console: Console): ConsoleInterviewer {
  const lines = new LineReader(console.input);
  return {
    async ask(question, signal) {
      console.write(questionText(question));
      for (;;) {
        console.write(promptOf(question));
        const line = await lines.next(signal);
        if (line === undefined) {
          console.write('\n');
          return undefined;
        }
        // A terminal has shown what was typed, with the line break; a pipe has not.
        if (console.input.isTTY !== true) console.write(`${line}\n`);
        const answer = matchAnswer(question, line);
        if (answer !== undefined) return answer;
        console.write(
          `    ${JSON.stringify(line.trim())} is none of the choices; answer with ${hint(question)}\n`,
        );
      }
    },
    inform: (message, stage) => void console.write(`[i] ${stage}: ${message}\n`),
    close: () => lines.close(),
  };
}

function questionText({ text, options, metadata }: Question): string {
  const details = typeof metadata?.prompt === 'string' ? `${indent(metadata.prompt)}\n` : '';
  const choices = options.map((option) => `    ${describeChoice(option)}\n`).join('');
  return `[?] ${text}\n${details}${choices}`;
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}

function promptOf({ type, default: fallback, timeout_seconds: seconds }: Question): string {
  const limit = seconds === undefined ? '' : ` (${seconds} s${fallback ? `, then ${fallback.value}` : ''})`;
  switch (type) {
    case 'MULTIPLE_CHOICE':
      return `    Select${limit}: `;
    case 'YES_NO':
    case 'CONFIRMATION':
      return `    [Y/N]${limit}: `;
    case 'FREEFORM':
      return `    >${limit} `;
  }
}

function hint({ type, options }: Question): string {
  return type === 'MULTIPLE_CHOICE' ? options.map(({ key }) => key).join(', ') : 'Y or N';
}

type Waiting = (line: string | undefined) => void;

/** Hands out the lines of a stream one at a time; lines that nobody has asked for yet are kept. */
class LineReader {
  readonly #input: NodeJS.ReadableStream;
  #interface: Interface | undefined;
  readonly #lines: string[] = [];
  #hasEnded = false;
  #waiting: Waiting | undefined;

  constructor(input: NodeJS.ReadableStream) {
    this.#input = input;
  }

  /** The next line, or undefined at the end of the input or when the signal is aborted. */
  next(signal: AbortSignal): Promise<string | undefined> {
    this.#open();
    const line = this.#lines.shift();
    if (line !== undefined || this.#hasEnded || signal.aborted) return Promise.resolve(line);
    return new Promise((resolve) => {
      const finish: Waiting = (next) => {
        signal.removeEventListener('abort', onAbort);
        this.#waiting = undefined;
        resolve(next);
      };
      const onAbort = (): void => finish(undefined);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting = finish;
    });
  }

  close(): void {
    this.#interface?.close();
  }

  #open(): void {
    if (this.#interface !== undefined) return;
    this.#interface = createInterface({ input: this.#input, terminal: false });
    this.#interface.on('line', (line) => {
      if (this.#waiting === undefined) this.#lines.push(line);
      else this.#waiting(line);
    });
    this.#interface.on('close', () => {
      this.#hasEnded = true;
      this.#waiting?.(undefined);
    });
  }
}
