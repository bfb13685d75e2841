import path from 'node:path';
import { alongside } from '../run/questions/alongside.js';
import { approvingInterviewer, autoApproveInterviewer } from '../run/questions/auto-approve.js';
import { type ConsoleInterviewer, consoleInterviewer } from '../run/questions/console.js';
import { type FileInterviewer, fileInterviewer } from '../run/questions/file.js';
import { absentInterviewer, type Interviewer } from '../run/questions/interviewer.js';
import { clearQuestions } from '../run/questions/question-files.js';
import { runFiles } from '../run-directory/run-files.js';
import type { Io, OutputStream } from './io.js';
import type { Spinner } from './progress/progress.js';

/**
 * Where a run meets people: its questions lie in the run directory while somebody is asked, so that `attractor answer` can
 * answer from elsewhere (SEMANTICS 87), and everything that is said shares the screen with those that the console asks.
 */
export class FrontDesk implements OutputStream {
  readonly stream: OutputStream;
  readonly console: ConsoleInterviewer;
  #directory: string | undefined;
  #files: FileInterviewer | undefined;
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

  /** Has questions lie in the run directory too, whoever else is asked. Approval comes at once; only what cannot be approved lies there. */
  beside(interviewer: Interviewer): Interviewer {
    if (interviewer === autoApproveInterviewer) return approvingInterviewer(this.beside(absentInterviewer));
    return alongside(interviewer, {
      ask: (question, signal) => this.#files?.ask(question, signal) ?? Promise.resolve(undefined),
    });
  }

  /** To be called with every event: before the first one, nobody knows where the run is kept. */
  open(directoryOf: () => string): void {
    if (this.#files !== undefined) return;
    this.#directory = path.join(directoryOf(), runFiles.questions);
    this.#files = fileInterviewer(this.#directory);
  }

  /** Prints whole lines, around a question that is on the screen. */
  write(text: string): void {
    this.console.print(text);
  }

  /** A moving line, which stands still while somebody may be typing. */
  besideQuestions(spinner: Spinner): Spinner {
    this.#spinner = spinner;
    return {
      start: (shown) => {
        if (!this.console.isAsking) spinner.start(shown);
      },
      clear: () => spinner.clear(),
    };
  }

  /** The run is over: nothing is asked any more. */
  clear(): void {
    this.#files?.close();
    if (this.#directory !== undefined)
      clearQuestions(this.#directory, 'the run is over; nothing is asked any more');
  }

  close(): void {
    this.#files?.close();
    this.console.close();
  }

  #write(text: string): void {
    this.#spinner?.clear();
    this.stream.write(text);
  }
}
