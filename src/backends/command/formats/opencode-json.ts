import type { AgentFact, AgentProblem, OutputFormat } from '../agent-fact.js';
import { countOf, type JsonObject, objectOf, objectOfLine, outputOf, textOf } from './json-line.js';

/** OpenCode with `run --format json`. Its end is a step that ends for another reason than tool calls. */
export const opencodeJson: OutputFormat = {
  name: 'opencode-json',
  usageTime: 'each_request',
  reader() {
    let session = '';
    let answer = '';
    return {
      line(text) {
        const event = objectOfLine(text);
        if (event === undefined) return [];
        const facts: AgentFact[] = [];
        const id = textOf(event.sessionID);
        if (session === '' && id !== '') facts.push({ kind: 'session', id });
        session ||= id;
        const part = objectOf(event.part);
        if (event.type === 'step_start') answer = '';
        if (event.type === 'text') answer += textOf(part.text);
        return [...facts, ...eventFacts(event, part, answer)];
      },
      end: () => [],
    };
  },
};

function eventFacts(event: JsonObject, part: JsonObject, answer: string): readonly AgentFact[] {
  switch (event.type) {
    case 'text':
      return [{ kind: 'text', text: textOf(part.text) }];
    case 'reasoning':
      return [{ kind: 'reasoning', text: textOf(part.text) }];
    case 'tool_use':
      return [toolCall(part)];
    case 'step_finish':
      return [usageFact(part), ...ending(part, answer)];
    case 'error':
      return [{ kind: 'failed', ...errorIn(objectOf(event.error)) }];
    default:
      return [];
  }
}

/** Reported once, when the call has ended. */
function toolCall({ callID: id, tool, state: given }: JsonObject): AgentFact {
  const state = objectOf(given);
  const { start, end } = objectOf(state.time);
  return {
    kind: 'tool_ended',
    id: textOf(id),
    tool: textOf(tool),
    input: state.input ?? null,
    success: state.status === 'completed',
    output: outputOf(state.output) || outputOf(state.error),
    duration: typeof start === 'number' && typeof end === 'number' ? Math.max(0, end - start) : undefined,
  };
}

function usageFact({ tokens: given, cost }: JsonObject): AgentFact {
  const tokens = objectOf(given);
  const cache = objectOf(tokens.cache);
  const [cached, written, reasoning] = [cache.read, cache.write, tokens.reasoning].map(countOf);
  const known = typeof cost === 'number' && cost > 0;
  return {
    kind: 'usage',
    model: '',
    usage: {
      requests: 1,
      input_tokens: countOf(tokens.input) + (cached ?? 0) + (written ?? 0),
      output_tokens: countOf(tokens.output) + (reasoning ?? 0),
      cached_input_tokens: cached || undefined,
      cache_write_tokens: written || undefined,
      reasoning_tokens: reasoning || undefined,
      cost_usd: known ? cost : undefined,
    },
  };
}

function ending({ reason }: JsonObject, answer: string): readonly AgentFact[] {
  if (reason === 'tool-calls') return [];
  if (reason === 'error' || reason === 'content-filter') {
    return [{ kind: 'failed', message: `the model stopped: ${reason}` }];
  }
  // Servers that give no reason known to OpenCode have answered all the same.
  return [{ kind: 'finished', text: answer, isCutOff: reason === 'length' }];
}

function errorIn(error: JsonObject): AgentProblem {
  const data = objectOf(error.data);
  const message = textOf(data.message) || textOf(error.message) || outputOf(error.name);
  const status = data.statusCode;
  const retryAfter = textOf(objectOf(data.responseHeaders)['retry-after']);
  return {
    message,
    status: typeof status === 'number' ? status : undefined,
    retryAfter: retryAfter || undefined,
  };
}
