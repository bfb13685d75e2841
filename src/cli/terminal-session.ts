import { type ConsoleInterviewer, consoleInterviewer } from '../run/questions/console.js';
import type { Io, OutputStream } from './io.js';
import type { LiveRegion } from './progress/live-region.js';

/**
 * The screen on which a run meets people: all messages share it with the questions of the console.
 */
export class TerminalSession implements OutputStream {
  readonly stream: OutputStream;
  readonly console: ConsoleInterviewer;
  #region: LiveRegion | undefined;

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

  /** Region below everything that is written from now on; the caller starts and stops it. */
  shareWith(region: LiveRegion): void {
    this.#region = region;
  }

  close(): void {
    this.console.close();
  }

  #write(text: string): void {
    (this.#region ?? this.stream).write(text);
  }
}
