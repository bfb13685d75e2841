import { untilAborted } from '../../abort/abort.js';
import { printable, printableLines } from '../../diagnostic/printable.js';
import type { Answer, Question } from '../../machine/interview.js';
import { type Interviewer, questionSettled } from './interviewer.js';
import { LineReader } from './line-reader.js';
import { matchAnswer, typedAnswer } from './match-answer.js';
import { isMultiSelect } from './multi-select.js';
import { expectedAnswer, questionText } from './question-text.js';

/** Streams of a console interviewer. */
export interface Console {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  write(text: string): unknown;
}

export interface ConsoleInterviewer extends Interviewer {
  /** True if a person may be typing an answer now. */
  readonly isAsking: boolean;
  /** Writes whole lines of other output; a prompt on the screen makes room for them and comes back. */
  print(text: string): void;
  /** Releases the input, so that the process can end. */
  close(): void;
}

/**
 * Asks at the console (§6.4), one question at a time in their order, however many are open. An answer that
 * fits no choice is asked for again (SEMANTICS 55c); a pipe is read line by line, and at the end of the
 * input nobody answers (SEMANTICS 87).
 */
export function consoleInterviewer(console: Console): ConsoleInterviewer {
  const desk = new Desk(console);
  return {
    ask: (question, signal) => untilAborted(desk.ask(question, signal), signal),
    get isAsking() {
      return desk.isAsking;
    },
    inform: (message, stage) => desk.print(`[i] ${printable(stage)}: ${printableLines(message)}\n`),
    print: (text) => desk.print(text),
    close: () => desk.close(),
  };
}

/** One person at one screen. */
class Desk {
  readonly #console: Console;
  readonly #lines: LineReader;
  /** Settles when the question before has left the screen. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Number of questions on the screen or in line for it. */
  #open = 0;
  /** Prompt after which the person is typing. */
  #prompt: string | undefined;
  #mayBeTyping = false;

  constructor(console: Console) {
    this.#console = console;
    this.#lines = new LineReader(console.input);
  }

  get isAsking(): boolean {
    return this.#prompt !== undefined;
  }

  ask(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
    this.#open += 1;
    const answer = this.#turn
      .then(() => this.#askNow(question, signal))
      .finally(() => {
        this.#open -= 1;
      });
    this.#turn = answer.catch(() => undefined);
    return answer;
  }

  print(text: string): void {
    if (this.#prompt === undefined) this.#console.write(text);
    else this.#console.write(`\n${text}${this.#prompt}`);
  }

  close(): void {
    this.#lines.close();
  }

  async #askNow(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
    // Another interviewer that is asked at the same time may answer at once.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#mayBeTyping && !(await this.#clearLine(signal))) return undefined;
    if (signal.aborted) return undefined;
    this.print(questionText(question));
    for (;;) {
      const line = await this.#read(promptOf(question), signal);
      if (line === undefined) {
        if (signal.aborted) this.#giveWay(question, signal);
        return undefined;
      }
      const answer = matchAnswer(question, await this.#withWords(question, line, signal));
      if (answer !== undefined) return answer;
      if (signal.aborted) return undefined;
      this.print(
        `    ${JSON.stringify(line.trim())} is not one of the choices; answer with ${expectedAnswer(question)}\n`,
      );
    }
  }

  /** Asks a person at a terminal for the text besides a choice; a pipe has it in the same line, after a tab. */
  async #withWords(question: Question, line: string, signal: AbortSignal): Promise<string> {
    const { words, type } = question;
    const isChoice = words !== undefined && type !== 'FREEFORM' && !line.includes('\t') && this.#isTerminal;
    if (!isChoice || matchAnswer({ ...question, words: 'optional' }, line) === undefined) return line;
    const text = await this.#read(words === 'required' ? '    Text: ' : '    Text (optional): ', signal);
    return typedAnswer(line, text);
  }

  async #read(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    this.#console.write(prompt);
    this.#prompt = prompt;
    const line = await this.#lines.next(signal);
    this.#prompt = undefined;
    // A terminal has shown the typed text, with the line break; a pipe has not.
    if (line === undefined) this.#console.write('\n');
    else if (!this.#isTerminal) this.#console.write(`${line}\n`);
    return line;
  }

  /** Gives way to the next question, which must not get an answer that was begun for a settled one. */
  #giveWay({ timeout_seconds: timeout }: Question, signal: AbortSignal): void {
    const why = timeout === undefined ? 'Answered elsewhere.' : 'Answered elsewhere, or the time is up.';
    if (signal.reason === questionSettled) this.print(`    ${why}\n`);
    this.#mayBeTyping = this.#isTerminal && this.#open > 1;
  }

  /** @returns true if there is still a person to ask */
  async #clearLine(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const line = await this.#read('    Press Enter for the next question: ', signal);
    if (line !== undefined || !signal.aborted) this.#mayBeTyping = false;
    return line !== undefined;
  }

  get #isTerminal(): boolean {
    return this.#console.input.isTTY === true;
  }
}

function promptOf(question: Question): string {
  const { type, default: fallback, timeout_seconds: seconds } = question;
  const limit =
    seconds === undefined ? '' : ` (${seconds} s${fallback ? `, then ${printable(fallback.value)}` : ''})`;
  switch (type) {
    case 'MULTIPLE_CHOICE':
      return isMultiSelect(question) ? `    Select, separated by commas${limit}: ` : `    Select${limit}: `;
    case 'YES_NO':
    case 'CONFIRMATION':
      return `    [Y/N]${limit}: `;
    case 'FREEFORM':
      return `    >${limit} `;
  }
}
