import { z } from 'zod';
import type { JsonValue } from '../../graph/json.js';
import { event } from './event.js';
import { stage } from './stage.js';
import { count, flag, milliseconds, ordinal, text } from './values.js';

const call = {
  call_id: text('Id of the call; both of its events have it.'),
  tool: text('Name of the tool, as the model knows it.'),
};

const tokens = (description: string) => count(description).optional();

const usage = z
  .object({
    requests: count('Number of requests to the model.'),
    input_tokens: count('Tokens sent, including those read from a cache.'),
    output_tokens: count('Tokens received, including those of reasoning.'),
    cached_input_tokens: tokens('Input tokens read from the cache of the provider.'),
    cache_write_tokens: tokens('Input tokens added to the cache of the provider.'),
    reasoning_tokens: tokens('Output tokens that the model spent on reasoning.'),
    cost_usd: z.number().min(0).optional().meta({
      description: 'Cost in US dollars. Missing if no price is known.',
    }),
  })
  .meta({ id: 'Usage', title: 'Usage', description: 'Tokens and cost of requests to a model.' });

/** Events that report the progress of a stage, by type. */
export const progressEvents = () => ({
  StageOutput: event('StageOutput', 'The model produced a part of its response or reasoning.', {
    ...stage,
    channel: z.enum(['response', 'reasoning']).meta({ description: 'Origin of the text.' }),
    text: text('Text of the part; joined in order, all parts make the whole.'),
  }),
  ToolCallStarted: event('ToolCallStarted', 'A model or an agent calls a tool.', {
    ...stage,
    ...call,
    input: z.custom<JsonValue>().meta({ description: 'Arguments of the call.' }),
  }),
  ToolCallCompleted: event('ToolCallCompleted', 'A tool call has ended.', {
    ...stage,
    ...call,
    success: z.boolean().meta({ description: 'True if the tool succeeded.' }),
    output: text('Result that was sent to the model.'),
    duration: milliseconds('Duration of the call, in milliseconds.'),
  }),
  ModelUsed: event(
    'ModelUsed',
    'A request to a model has ended; an agent may report several requests at once. One that a pause or the end of the run has interrupted comes after that event.',
    {
      ...stage,
      provider: text('Provider of the model; empty if an agent does not report it.'),
      model: text('The model; empty if an agent does not report it.'),
      usage: usage.meta({ description: 'Tokens and cost of the request.' }),
      child_run: text('Id of the child run that made the request, if the stage runs a pipeline.').optional(),
      child_seq: ordinal('The `seq` of the event in that run.').optional(),
    },
  ),
  RequestRetrying: event(
    'RequestRetrying',
    'A request to a model has failed, and is made again, after a pause or by another model.',
    {
      ...stage,
      provider: text('Provider of the model whose request failed.'),
      model: text('Model whose request failed.'),
      reason: text('A few words for the failure, which follow "after": `HTTP 429`.'),
      error: text('The whole message of the failure.'),
      delay: milliseconds('Milliseconds of the pause before the next request.'),
      request_attempt: ordinal('Number of the request that follows: from 2, and 1 for another model.'),
      request_attempts: ordinal('Limit of requests to one model for one reply.'),
      discards_text: z.boolean().meta({
        description:
          'True if events before this one have a part of the reply (`StageOutput`), which does not count: all of it comes again.',
      }),
      next_model: text('The model that is asked instead, with its provider.').optional(),
    },
  ),
  ConversationCompacting: event(
    'ConversationCompacting',
    'The server of a model refused a conversation as too long: the model summarizes its older turns, and is asked again.',
    {
      ...stage,
      provider: text('Provider of the model.'),
      model: text('The model.'),
      turns: count('Number of replies that the summary replaces.'),
      kept: count('Number of replies that stay, the newest.'),
      error: text('The whole message of the refusal.'),
    },
  ),
  StageSteered: event('StageSteered', 'A person said something to the model of a running stage.', {
    ...stage,
    steering_id: text('Id of these words; `SteeringDelivered` has it too.'),
    text: text('The words.'),
    by: text('Name of the person, if it is known.').optional(),
  }),
  SteeringDelivered: event(
    'SteeringDelivered',
    'The model of a stage gets the words of a person, before its next request or as the next prompt of an agent.',
    { ...stage, steering_id: text('Id of the words.') },
  ),
  SessionStarted: event(
    'SessionStarted',
    'A thread has a conversation that its later stages continue, even in another process.',
    {
      ...stage,
      thread_id: text('The thread.'),
      backend: text('Backend of the conversation.'),
      session_id: text('Id of the conversation in its backend.'),
      includes_stage: flag(
        'Set once the conversation has the prompt of this stage and its answer: the prompts of later stages tell only what came after.',
      ),
    },
  ),
});
