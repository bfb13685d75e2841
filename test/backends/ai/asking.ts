import { eventsOf, type PipelineRun } from '../../run/harness.js';
import { calls, type MockTurn } from '../../support/mock-models.js';
import type { Bench } from './bench.js';

export const claude = 'llm_model="claude-sonnet-4-5", interactive=true';

export const asks = (question: string, ...options: readonly string[]): MockTurn =>
  calls(['ask_person', options.length === 0 ? { question } : { question, options }]);

/** Results of tools in a request, in order. */
export function results({ mock }: Pick<Bench, 'mock'>, request: number): readonly string[] {
  const messages = mock.requests()[request]?.body.messages ?? [];
  return messages.flatMap(({ role, content }) =>
    role === 'tool'
      ? [plain(typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join(''))]
      : [],
  );
}

/** Google's format wraps a result. */
function plain(result: string): string {
  return result.startsWith('{"name"') ? JSON.parse(result).content : result;
}

export function questionsIn({ events }: Pick<PipelineRun, 'events'>): readonly string[] {
  return eventsOf(events, 'InterviewStarted').map(({ question }) => `${question.id}: ${question.text}`);
}
