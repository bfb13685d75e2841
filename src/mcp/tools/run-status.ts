import { counted } from '../../diagnostic/counted.js';
import { printableLines } from '../../diagnostic/printable.js';
import { describeChoice } from '../../graph/choices.js';
import { expectedAnswer } from '../../run/questions/question-text.js';
import { type AskedQuestion, questionsOf } from '../../setup/questions-of.js';
import { overviewOf, type RunOverview } from '../../view/run-overview.js';
import type { ToolAnswer, ToolCall } from './tool.js';
import type { Workbench } from './workbench.js';

/** Longest wait of one call: clients give up after a minute. */
export const longestWait = 50;
/** Milliseconds between two looks at a run: a run of a moment is seen soon, and a long one costs little. */
const looks = { first: 50, last: 1000 };

/**
 * Waits until a run has stopped, or a question is open that nobody is asked elsewhere.
 * @param seconds after which the answer says how far it is
 */
export async function settledStatus(
  id: string,
  seconds: number,
  workbench: Workbench,
  call: ToolCall,
): Promise<ToolAnswer> {
  const directory = workbench.runs.directory(id);
  const end = performance.now() + seconds * 1000;
  let [pause, told] = [looks.first, -1];
  for (;;) {
    const overview = overviewOf(directory, Date.now());
    const questions = questionsOf(overview).filter(({ isAnswered }) => !isAnswered);
    const isWaiting = questions.some(({ question }) => !workbench.runs.isAsking(id, question.id));
    const rest = end - performance.now();
    if (overview.status !== 'running' || isWaiting || rest <= 0 || call.signal.aborted)
      return statusAnswer(id, overview, questions);
    if (overview.stages_done !== told) call.progress(progressText(overview));
    told = overview.stages_done;
    await sleep(Math.min(pause, rest), call.signal);
    pause = Math.min(2 * pause, looks.last);
  }
}

function progressText({ stages, stages_done }: RunOverview): string {
  const now = stages.map(({ node_id }) => node_id).join(', ');
  return `${counted(stages_done, 'stage')} done${now === '' ? '' : `, now ${now}`}`;
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });
}

function statusAnswer(id: string, overview: RunOverview, questions: readonly AskedQuestion[]): ToolAnswer {
  const { status, quality, failure_reason, failed_node, paused_reason, stages, stages_done, usage } =
    overview;
  const now = stages.map(({ node_id }) => node_id);
  const lines = [
    `run ${id}: ${status}${quality === 'degraded' ? ', degraded' : ''}, ${counted(stages_done, 'stage')} done`,
    status === 'running' && now.length > 0 ? `under way: ${now.join(', ')}; call status to wait for it` : '',
    failure_reason === null
      ? ''
      : `reason: ${failure_reason}${failed_node === null ? '' : ` (stage ${failed_node})`}`,
    paused_reason === null ? '' : `paused: ${paused_reason}; resume continues it`,
    ...questions.map(questionLine),
  ];
  return {
    text: lines.filter((line) => line !== '').join('\n'),
    data: {
      run: id,
      status,
      quality,
      failure_reason,
      failed_node,
      paused_reason,
      stages: now,
      stages_done,
      usage,
      questions: questions.map(({ answerAs, question: { text, type, options } }) => ({
        question: answerAs,
        text,
        type,
        options,
      })),
    },
  };
}

function questionLine({ answerAs, question }: AskedQuestion): string {
  const choices = question.options.map(describeChoice).join(', ');
  return `question ${answerAs}: ${printableLines(question.text)}\n  answer with ${choices === '' ? expectedAnswer(question) : choices}`;
}
