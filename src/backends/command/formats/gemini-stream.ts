import type { JsonValue } from '../../../graph/json.js';
import type { AgentEnding, AgentFact, OutputFormat } from '../agent-fact.js';
import { countOf, type JsonObject, objectOf, objectOfLine, outputOf, textOf } from './json-line.js';

/** Gemini CLI with `-o stream-json`. The answer is the text after its last tool call. */
export const geminiStream: OutputFormat = {
  name: 'gemini-stream-json',
  usageTime: 'end_of_turn',
  reader() {
    let answer = '';
    let model = '';
    return {
      line(text) {
        const event = objectOfLine(text);
        if (event === undefined) return [];
        switch (event.type) {
          case 'init':
            model = textOf(event.model);
            return [{ kind: 'session', id: textOf(event.session_id) }];
          case 'message':
            if (event.role !== 'assistant') return [];
            answer += textOf(event.content);
            return [{ kind: 'text', text: textOf(event.content) }];
          case 'tool_use':
            answer = '';
            return [toolStart(event)];
          case 'tool_result':
            return [toolEnd(event)];
          case 'error':
            return [{ kind: 'trouble', message: textOf(event.message) || outputOf(event.error) }];
          case 'result':
            return [...usageFacts(objectOf(event.stats), model), ending(event, answer)];
          default:
            return [];
        }
      },
      end: () => [],
    };
  },
};

function toolStart({ tool_id: id, tool_name: tool, parameters }: JsonObject): AgentFact {
  return { kind: 'tool_started', id: textOf(id), tool: textOf(tool), input: parameters ?? null };
}

function toolEnd({ tool_id: id, status, output, error }: JsonObject): AgentFact {
  const told = outputOf(output) || textOf(objectOf(error).message);
  return { kind: 'tool_ended', id: textOf(id), success: status === 'success', output: told };
}

/** Usage by model, if reported so. */
function usageFacts(stats: JsonObject, model: string): readonly AgentFact[] {
  const models = Object.entries(objectOf(stats.models));
  const parts: readonly (readonly [string, JsonValue])[] = models.length > 0 ? models : [[model, stats]];
  return parts
    .map(([name, counts]) => usageFact(name, objectOf(counts)))
    .filter(({ usage }) => usage.input_tokens + usage.output_tokens > 0);
}

function usageFact(model: string, counts: JsonObject): Extract<AgentFact, { readonly kind: 'usage' }> {
  const cached = countOf(counts.cached);
  const input = countOf(counts.input_tokens);
  // The rest of the total is reasoning.
  const thought = Math.max(0, countOf(counts.total_tokens) - input - countOf(counts.output_tokens));
  return {
    kind: 'usage',
    model,
    usage: {
      requests: 1,
      input_tokens: input,
      output_tokens: countOf(counts.output_tokens) + thought,
      cached_input_tokens: cached || undefined,
      reasoning_tokens: thought || undefined,
    },
  };
}

function ending(event: JsonObject, answer: string): AgentEnding {
  if (event.status === 'success') return { kind: 'finished', text: answer };
  const { message } = objectOf(event.error);
  return { kind: 'failed', message: textOf(message) || `it ended with the status ${outputOf(event.status)}` };
}
