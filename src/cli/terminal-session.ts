import { type ConsoleInterviewer, consoleInterviewer } from '../run/questions/console.js';
import type { Io, OutputStream } from './io.js';
import type { Spinner } from './progress/progress.js';

/**
 * The screen on which a run meets people: all messages share it with the questions of the console.
 */
export class TerminalSession implements OutputStream {
  readonly stream: OutputStream;
  readonly console: ConsoleInterviewer;
  #spinner: Spinner | undefined;

  constructor(input: Io['stdin'], stream: OutputStream) {
    this.stream = stream;
    this.console = consoleInterviewer({ input, write: (text) => this.#write(text) });
  }

  get isTTY(): boolean {
    return this.stream.isTTY === true;
  }

  get columns(): number | undefined {
    return this.stream.columns;
  }

  /** Prints whole lines, around a question that is on the screen. */
  write(text: string): void {
    this.console.print(text);
  }

  /** Spinner that stands still while a person may be typing. */
  besideQuestions(spinner: Spinner): Spinner {
    this.#spinner = spinner;
    return {
      start: (shown) => {
        if (!this.console.isAsking) spinner.start(shown);
      },
      clear: () => spinner.clear(),
    };
  }

  close(): void {
    this.console.close();
  }

  #write(text: string): void {
    this.#spinner?.clear();
    this.stream.write(text);
  }
}
