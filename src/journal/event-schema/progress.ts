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
    requests: count('How many requests to the model.'),
    input_tokens: count('Tokens that were sent, those from a cache included.'),
    output_tokens: count('Tokens that came back, those of its reasoning included.'),
    cached_input_tokens: tokens('Of the input: what the provider had kept from before.'),
    cache_write_tokens: tokens('Of the input: what the provider has put into its cache.'),
    reasoning_tokens: tokens('Of the output: what the model spent on thinking.'),
    cost_usd: z.number().min(0).optional().meta({
      description: 'What it cost in US dollars. Missing where no price is known.',
    }),
  })
  .meta({ id: 'Usage', title: 'Usage', description: 'What requests to a model have used.' });

/** Events that report the work of a stage while it is under way, by type. */
export const progressEvents = () => ({
  StageOutput: event('StageOutput', 'A part of what the model of a stage answers or thinks.', {
    ...stage,
    channel: z.enum(['response', 'reasoning']).meta({ description: 'What it is a part of.' }),
    text: text('The part; together with those before and after it, the whole.'),
  }),
  ToolCallStarted: event('ToolCallStarted', 'A model, or an agent, calls a tool.', {
    ...stage,
    ...call,
    input: z.custom<JsonValue>().meta({ description: 'What the tool is given.' }),
  }),
  ToolCallCompleted: event('ToolCallCompleted', 'The call of a tool has ended.', {
    ...stage,
    ...call,
    success: z.boolean().meta({ description: 'Whether the tool did what it was asked to.' }),
    output: text('What the model was told.'),
    duration: milliseconds('Milliseconds of the call.'),
  }),
  ModelUsed: event('ModelUsed', 'A request to a model has ended, or several of an agent.', {
    ...stage,
    provider: text('Who provides the model; empty where an agent does not say.'),
    model: text('The model; empty where an agent does not say.'),
    usage: usage.meta({ description: 'What it used.' }),
    child_run: text('Of what a pipeline used that the stage runs: the id of that run.').optional(),
    child_seq: ordinal('Which event of that run says so.').optional(),
  }),
  SessionStarted: event(
    'SessionStarted',
    'The stages of a thread have a conversation, which later ones continue with, also in another process.',
    {
      ...stage,
      thread_id: text('The thread.'),
      backend: text('Whose conversation it is.'),
      session_id: text('What its backend calls it.'),
    },
  ),
});
