import { z } from 'zod';
import type { JsonValue } from '../../graph/json.js';
import { event } from './event.js';
import { stage } from './stage.js';
import { count, milliseconds, ordinal, text } from './values.js';

const call = {
  call_id: text('Names the call; the events of its beginning and its end have the same.'),
  tool: text('The name of the tool, as the model knows it.'),
};

const tokens = (description: string) => count(description).optional();

const usage = z
  .object({
    requests: count('Number of requests to the model.'),
    input_tokens: count('Tokens that were sent, those from a cache included.'),
    output_tokens: count('Tokens that came back, those of its reasoning included.'),
    cached_input_tokens: tokens('Input tokens that came from the cache of the provider.'),
    cache_write_tokens: tokens('Input tokens that the provider has added to its cache.'),
    reasoning_tokens: tokens('Output tokens that the model spent on reasoning.'),
    cost_usd: z.number().min(0).optional().meta({
      description: 'Cost in US dollars. Missing if no price is known.',
    }),
  })
  .meta({ id: 'Usage', title: 'Usage', description: 'Tokens and cost of requests to a model.' });

/** Events that report the work of a stage while it is under way, by type. */
export const progressEvents = () => ({
  StageOutput: event('StageOutput', 'A part of the response or the reasoning of the model of a stage.', {
    ...stage,
    channel: z
      .enum(['response', 'reasoning'])
      .meta({ description: 'Part of the response or of the reasoning.' }),
    text: text('Text of the part; all parts in order make the whole.'),
  }),
  ToolCallStarted: event('ToolCallStarted', 'A model, or an agent, calls a tool.', {
    ...stage,
    ...call,
    input: z.custom<JsonValue>().meta({ description: 'Arguments of the call.' }),
  }),
  ToolCallCompleted: event('ToolCallCompleted', 'The call of a tool has ended.', {
    ...stage,
    ...call,
    success: z.boolean().meta({ description: 'True if the tool succeeded.' }),
    output: text('Result that was sent to the model.'),
    duration: milliseconds('Milliseconds of the call.'),
  }),
  ModelUsed: event('ModelUsed', 'A request to a model has ended, or several of an agent.', {
    ...stage,
    provider: text('Provider of the model; empty if an agent does not report it.'),
    model: text('The model; empty if an agent does not report it.'),
    usage: usage.meta({ description: 'Tokens and cost of the request.' }),
    child_run: text('Id of the child run that used them, if the stage runs a pipeline.').optional(),
    child_seq: ordinal('Number of the event in that run.').optional(),
  }),
  SessionStarted: event(
    'SessionStarted',
    'The stages of a thread have a conversation that later stages continue, also in another process.',
    {
      ...stage,
      thread_id: text('The thread.'),
      backend: text('Backend of the conversation.'),
      session_id: text('Id of the conversation in its backend.'),
    },
  ),
});
