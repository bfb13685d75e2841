import { onAbort } from '../../src/abort/abort.js';
import { StageStopped } from '../../src/handlers/handler.js';
import type { Answer } from '../../src/machine/interview.js';
import { AnswerFiles } from '../../src/run/questions/answer-files.js';
import type { Interviewer } from '../../src/run/questions/interviewer.js';
import { questionSettled } from '../../src/run/questions/interviewer.js';

export interface FileInterviewer extends Interviewer {
  close(): void;
}

/** Asks through the files of a directory alone, as a run does that nobody else is asked by. */
export function fileInterviewer(directory: string): FileInterviewer {
  const files = new AnswerFiles(directory);
  const end = new AbortController();
  return {
    ask: async (question, signal) =>
      new Promise<Answer | undefined>((resolve, reject) => {
        if (signal.aborted || end.signal.aborted) return resolve(undefined);
        const releases: (() => void)[] = [];
        const taken = { answer: undefined as Answer | undefined };
        const laid = files.open(question, {
          take(answer) {
            taken.answer = answer;
            setImmediate(settle);
            return true;
          },
          onBroken: reject,
        });
        const settle = (): void => {
          for (const release of releases) release();
          laid.close(taken.answer === undefined ? closingOf(signal.reason) : 'answered');
          resolve(taken.answer);
        };
        laid.lay();
        releases.push(
          onAbort(signal, settle),
          onAbort(end.signal, () => resolve(undefined)),
        );
      }),
    close() {
      end.abort();
      files.close();
    },
  };
}

function closingOf(reason: unknown): 'withdrawn' | 'kept' {
  const isStopped = reason instanceof StageStopped && reason.why === 'cancelled';
  return reason === questionSettled || isStopped ? 'withdrawn' : 'kept';
}
