import type { OutputChannel, Progress } from '../machine/progress.js';
import type { Redactor } from '../secrets/redactor.js';
import type { TextStream } from '../secrets/text-stream.js';
import type { BackendCall, CodergenBackend } from './codergen-backend.js';

/** Backend that removes secrets from answers, before they are used or cut (DESIGN §4). */
export function redactingBackend(backend: CodergenBackend, redactor: Redactor): CodergenBackend {
  return {
    readsFiles: (node, call) => backend.readsFiles?.(node, call) ?? false,
    async run(node, prompt, context, call) {
      const reports = cleanReports(call.report, redactor);
      const newPrompt = call.promptForNewSession;
      try {
        const clean = {
          ...call,
          redactor,
          report: reports.report,
          promptForNewSession: newPrompt && (async () => redactor.text(await newPrompt())),
        };
        const answer: unknown = await backend.run(node, redactor.text(prompt), context, clean);
        return redactedAnswer(answer, redactor) as Awaited<ReturnType<CodergenBackend['run']>>;
      } finally {
        reports.flush();
      }
    },
  };
}

/** Answer without secrets; anything that is not an answer is left to the reader. */
function redactedAnswer(answer: unknown, redactor: Redactor): unknown {
  if (typeof answer === 'string') return redactor.text(answer);
  if (typeof answer !== 'object' || answer === null || !('response' in answer)) return answer;
  const { response } = answer;
  return typeof response === 'string' ? { ...answer, response: redactor.text(response) } : answer;
}

/**
 * Removes secrets from the progress of a backend before it is recorded: a secret may come in several pieces
 * of an answer.
 */
function cleanReports(report: BackendCall['report'], redactor: Redactor) {
  let channel: OutputChannel = 'response';
  let stream: TextStream | undefined;
  const tell = (text: string): void => {
    if (text !== '') report({ kind: 'text', channel, text });
  };
  const flush = (): void => {
    tell(stream?.end() ?? '');
    stream = undefined;
  };
  return {
    flush,
    report(progress: Progress): void {
      if (progress.kind !== 'text' || progress.channel !== channel) flush();
      if (progress.kind !== 'text') return report(progress);
      channel = progress.channel;
      stream ??= redactor.stream();
      tell(stream.add(progress.text));
    },
  };
}
