import type { JsonValue } from '../../../graph/json.js';
import type { Usage } from '../../../machine/usage.js';
import { describeClaudeCodeRetry } from '../../claude-code.js';
import type { AgentEnding, AgentFact, OutputFormat } from '../agent-fact.js';
import { countOf, type JsonObject, listOf, objectOf, objectOfLine, outputOf, textOf } from './json-line.js';

/**
 * Claude Code with `--output-format stream-json --verbose`. Its result may have `"subtype":"success"` and
 * `"is_error":true` at once: the latter counts.
 */
export const claudeStream: OutputFormat = {
  name: 'claude-stream-json',
  usageTime: 'each_request',
  reader() {
    const counted = new Set<string>();
    let model = '';
    return {
      line(text) {
        const event = objectOfLine(text);
        if (event === undefined) return [];
        switch (event.type) {
          case 'system':
            model = textOf(event.model) || model;
            return systemFacts(event);
          case 'assistant':
            return assistantFacts(objectOf(event.message), counted);
          case 'user':
            return listOf(objectOf(event.message).content).flatMap(toolResult);
          case 'result':
            return resultFacts(event, model);
          default:
            return [];
        }
      },
      end: () => [],
    };
  },
};

function systemFacts(event: JsonObject): readonly AgentFact[] {
  if (event.subtype === 'init') return [{ kind: 'session', id: textOf(event.session_id) }];
  const message = describeClaudeCodeRetry(event);
  if (message === undefined) return [];
  return [{ kind: 'trouble', isWaiting: true, message, ...statusOf(event.error_status) }];
}

function assistantFacts(message: JsonObject, counted: Set<string>): readonly AgentFact[] {
  const model = textOf(message.model);
  // The program reports an error this way, and repeats it in its result.
  if (model === '<synthetic>') return [];
  const facts = listOf(message.content).flatMap(partFacts);
  const id = textOf(message.id);
  // A message comes in several events, each of which has the usage of the whole message.
  if (counted.has(id)) return facts;
  counted.add(id);
  return [...facts, { kind: 'usage', model, usage: { requests: 1, ...tokensIn(objectOf(message.usage)) } }];
}

function partFacts(part: JsonValue): readonly AgentFact[] {
  const { type, text, thinking, id, name, input } = objectOf(part);
  switch (type) {
    case 'text':
      return [{ kind: 'text', text: textOf(text) }];
    case 'thinking':
      return [{ kind: 'reasoning', text: textOf(thinking) }];
    case 'tool_use':
      return [{ kind: 'tool_started', id: textOf(id), tool: textOf(name), input: input ?? null }];
    default:
      return [];
  }
}

function toolResult(part: JsonValue): readonly AgentFact[] {
  const { type, tool_use_id: id, is_error: isError, content } = objectOf(part);
  if (type !== 'tool_result') return [];
  return [{ kind: 'tool_ended', id: textOf(id), success: isError !== true, output: outputOf(content) }];
}

function resultFacts(event: JsonObject, model: string): readonly AgentFact[] {
  const cost = event.total_cost_usd;
  const usage: Usage = {
    requests: 0,
    ...tokensIn(objectOf(event.usage)),
    cost_usd: typeof cost === 'number' ? Math.max(0, cost) : undefined,
  };
  return [{ kind: 'turn_usage', model, usage }, ending(event)];
}

function ending(event: JsonObject): AgentEnding {
  const text = textOf(event.result);
  if (event.is_error !== true && event.subtype === 'success') {
    return { kind: 'finished', text, isCutOff: event.stop_reason === 'max_tokens' };
  }
  const errors = listOf(event.errors).map(textOf).join('; ');
  const message = text || errors || `it ended with ${JSON.stringify(event.subtype ?? null)}`;
  return { kind: 'failed', message, ...statusOf(event.api_error_status) };
}

function statusOf(value: JsonValue | undefined): { readonly status?: number } {
  return typeof value === 'number' ? { status: value } : {};
}

/** Token counts; its `input_tokens` exclude tokens read from or written to the cache. */
function tokensIn(usage: JsonObject): Omit<Usage, 'requests'> {
  const cached = countOf(usage.cache_read_input_tokens);
  const written = countOf(usage.cache_creation_input_tokens);
  return {
    input_tokens: countOf(usage.input_tokens) + cached + written,
    output_tokens: countOf(usage.output_tokens),
    cached_input_tokens: cached || undefined,
    cache_write_tokens: written || undefined,
  };
}
