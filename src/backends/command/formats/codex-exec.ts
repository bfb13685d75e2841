import { omitUndefined } from '../../../graph/omit-undefined.js';
import type { Usage } from '../../../machine/usage.js';
import type { AgentFact, OutputFormat } from '../agent-fact.js';
import { countOf, type JsonObject, objectOf, objectOfLine, outputOf, textOf } from './json-line.js';

/** Codex with `exec --json`. An `error` is only a warning, or a failed try, unless `turn.failed` follows. */
export const codexExec: OutputFormat = {
  name: 'codex-json',
  usageTime: 'end_of_turn',
  reader() {
    let answer = '';
    return {
      line(text) {
        const event = objectOfLine(text);
        if (event === undefined) return [];
        const item = objectOf(event.item);
        switch (event.type) {
          case 'thread.started':
            return [{ kind: 'session', id: textOf(event.thread_id) }];
          case 'item.started':
            return toolStart(item);
          case 'item.completed':
            if (item.type === 'agent_message') answer = textOf(item.text);
            return completedFacts(item);
          case 'turn.completed':
            return [
              { kind: 'session_usage', model: '', usage: usageOf(objectOf(event.usage)) },
              { kind: 'finished', text: answer },
            ];
          case 'turn.failed':
            return [{ kind: 'failed', message: textOf(objectOf(event.error).message) }];
          case 'error':
            return [{ kind: 'trouble', message: textOf(event.message) }];
          default:
            return [];
        }
      },
      end: () => [],
    };
  },
};

const wordsOfItems: ReadonlySet<unknown> = new Set(['agent_message', 'reasoning', 'error', 'todo_list']);

function toolStart(item: JsonObject): readonly AgentFact[] {
  if (wordsOfItems.has(item.type)) return [];
  const { id, tool, input } = callIn(item);
  return [{ kind: 'tool_started', id, tool, input }];
}

function completedFacts(item: JsonObject): readonly AgentFact[] {
  switch (item.type) {
    case 'agent_message':
      return [{ kind: 'text', text: textOf(item.text) }];
    case 'reasoning':
      return [{ kind: 'reasoning', text: textOf(item.text) }];
    case 'error':
      return [{ kind: 'trouble', message: textOf(item.message) }];
    case 'todo_list':
      return [];
    default:
      return [{ kind: 'tool_ended', ...callIn(item), success: hasSucceeded(item), output: outputIn(item) }];
  }
}

/** Call that an item is about; the name is that of the tool, else the kind of work. */
function callIn(
  item: JsonObject,
): Pick<Extract<AgentFact, { kind: 'tool_started' }>, 'id' | 'tool' | 'input'> {
  const { id, type, server, tool, command, changes, query } = item;
  const name = tool === undefined ? textOf(type) : [server, tool].map(textOf).filter(Boolean).join('.');
  const input = objectOf(item.arguments);
  return { id: textOf(id), tool: name, input: { ...input, ...omitUndefined({ command, changes, query }) } };
}

function hasSucceeded({ status, exit_code: exitCode }: JsonObject): boolean {
  return status !== 'failed' && status !== 'declined' && (exitCode === undefined || exitCode === 0);
}

function outputIn({ aggregated_output: output, result, error }: JsonObject): string {
  const told = textOf(objectOf(error).message) || outputOf(objectOf(result).content);
  return typeof output === 'string' ? output : told;
}

/** Usage of the conversation so far in one event, without the number of requests. */
function usageOf(usage: JsonObject): Usage {
  const cached = countOf(usage.cached_input_tokens);
  const written = countOf(usage.cache_write_input_tokens);
  const reasoning = countOf(usage.reasoning_output_tokens);
  return {
    requests: 1,
    input_tokens: countOf(usage.input_tokens),
    output_tokens: countOf(usage.output_tokens),
    cached_input_tokens: cached || undefined,
    cache_write_tokens: written || undefined,
    reasoning_tokens: reasoning || undefined,
  };
}
