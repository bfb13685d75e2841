import type { JsonValue } from '../../../graph/json.js';
import type { AgentEnding, AgentFact, OutputFormat } from '../agent-fact.js';
import { countOf, type JsonObject, listOf, objectOf, objectOfLine, outputOf, textOf } from './json-line.js';

/** Prefix of events that repeat the whole message so far, which follows when it is complete. */
const repeated = '{"type":"message_update"';
/** Prefix of the last line, which may be as long as the whole conversation; its presence suffices. */
const lastLine = '{"type":"agent_end"';

/** pi with `--mode json`. Its exit status is always 0: the stop reason of the last message counts. */
export const piJson: OutputFormat = {
  name: 'pi-json',
  usageTime: 'each_request',
  reader() {
    let last: AgentEnding = { kind: 'failed', message: 'it ended without an answer' };
    return {
      line(text) {
        if (text.startsWith(repeated)) return [];
        if (text.startsWith(lastLine)) return [last];
        const event = objectOfLine(text);
        if (event === undefined) return [];
        switch (event.type) {
          case 'session':
            return [{ kind: 'session', id: textOf(event.id) }];
          case 'tool_execution_start':
            return [toolStart(event)];
          case 'tool_execution_end':
            return [toolEnd(event)];
          case 'auto_retry_start':
            return [{ kind: 'trouble', message: textOf(event.errorMessage) }];
          case 'message_end': {
            const message = objectOf(event.message);
            if (message.role !== 'assistant') return [];
            last = endingOf(message);
            return messageFacts(message);
          }
          default:
            return [];
        }
      },
      end: () => [],
    };
  },
};

function toolStart({ toolCallId: id, toolName: tool, args }: JsonObject): AgentFact {
  return { kind: 'tool_started', id: textOf(id), tool: textOf(tool), input: args ?? null };
}

function toolEnd({ toolCallId: id, isError, result }: JsonObject): AgentFact {
  const output = outputOf(objectOf(result).content);
  return { kind: 'tool_ended', id: textOf(id), success: isError !== true, output };
}

function messageFacts(message: JsonObject): readonly AgentFact[] {
  const usage = objectOf(message.usage);
  const [cached, written] = [countOf(usage.cacheRead), countOf(usage.cacheWrite)];
  const cost = objectOf(usage.cost).total;
  const fact: AgentFact = {
    kind: 'usage',
    model: textOf(message.model),
    usage: {
      requests: 1,
      input_tokens: countOf(usage.input) + cached + written,
      output_tokens: countOf(usage.output),
      cached_input_tokens: cached || undefined,
      cache_write_tokens: written || undefined,
      cost_usd: typeof cost === 'number' && cost > 0 ? cost : undefined,
    },
  };
  return [...listOf(message.content).flatMap(partFacts), fact];
}

function partFacts(part: JsonValue): readonly AgentFact[] {
  const { type, text, thinking } = objectOf(part);
  if (type === 'text') return [{ kind: 'text', text: textOf(text) }];
  return type === 'thinking' ? [{ kind: 'reasoning', text: textOf(thinking) }] : [];
}

function endingOf({ stopReason, errorMessage, content }: JsonObject): AgentEnding {
  const text = listOf(content)
    .map(objectOf)
    .filter(({ type }) => type === 'text')
    .map((part) => textOf(part.text))
    .join('');
  if (stopReason === 'stop') return { kind: 'finished', text };
  if (stopReason === 'length') return { kind: 'finished', text, isCutOff: true };
  return { kind: 'failed', message: textOf(errorMessage) || `the model stopped: ${outputOf(stopReason)}` };
}
