import type { OutputChannel, Progress } from '../machine/progress.js';
import type { Redactor } from '../secrets/redactor.js';
import type { TextStream } from '../secrets/text-stream.js';
import type { BackendCall, CodergenBackend } from './codergen-backend.js';

/** A backend whose answers have no secrets, before anything is made of them or cut (DESIGN §4). */
export function redactingBackend(backend: CodergenBackend, redactor: Redactor): CodergenBackend {
  return {
    async run(node, prompt, context, call) {
      const told = cleanReports(call.report, redactor);
      try {
        const clean = { ...call, redactor, report: told.report };
        const answer: unknown = await backend.run(node, redactor.text(prompt), context, clean);
        return redactedAnswer(answer, redactor) as Awaited<ReturnType<CodergenBackend['run']>>;
      } finally {
        told.flush();
      }
    },
  };
}

/** What is not an answer at all is left to whoever reads it. */
function redactedAnswer(answer: unknown, redactor: Redactor): unknown {
  if (typeof answer === 'string') return redactor.text(answer);
  if (typeof answer !== 'object' || answer === null || !('response' in answer)) return answer;
  const { response } = answer;
  return typeof response === 'string' ? { ...answer, response: redactor.text(response) } : answer;
}

/** What a backend tells of its work, before anybody writes it down: a secret may come in several pieces of an answer. */
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
