import type { Context } from 'hono';
import { z } from 'zod';
import { type AcceptedRun, acceptedSchema, forkSchema, pauseSchema, resumptionSchema } from '../api/run.js';
import { jsonAnswer } from '../http/answers.js';
import { defineRoute, type Route, type RouteAnswer } from '../http/route.js';

const nothing = z.strictObject({});

/** What keeps a run from going on, or from being begun from another one. */
const ofGoingOn: Route['problems'] = [
  'bad_request',
  'not_allowed',
  'not_found',
  'conflict',
  'too_many_requests',
  'unsupported_media_type',
  'storage',
];

/** Runs under way, and those that have stopped, are steered (§9.5, SEMANTICS 76). */
export const steeringRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/pipelines/{id}/cancel',
    operation: 'cancelRun',
    tag: 'steering',
    summary: 'Ends a run',
    description:
      'Its stages are told to stop. The run keeps what has finished, and can be resumed. A run that waits in the queue is taken out of it.',
    body: { kind: 'optional_json', schema: nothing },
    answers: accepted('It was cancelled, or will be as soon as what it runs has stopped.'),
    problems: ['not_found', 'conflict'],
    handle: async ({ context, param }, { registry }) => answer(context, await registry.cancel(param('id'))),
  }),
  defineRoute({
    method: 'post',
    path: '/pipelines/{id}/pause',
    operation: 'pauseRun',
    tag: 'steering',
    summary: 'Pauses a run',
    description: 'When the stages that run have ended, or `now`: then they run again when it is resumed.',
    body: { kind: 'optional_json', schema: pauseSchema },
    answers: accepted('It will pause.'),
    problems: ['bad_request', 'not_found', 'conflict', 'unsupported_media_type'],
    handle: async ({ context, param, body }, { registry }) =>
      answer(context, await registry.pause(param('id'), body)),
  }),
  defineRoute({
    method: 'post',
    path: '/pipelines/{id}/resume',
    operation: 'resumeRun',
    tag: 'steering',
    summary: 'Goes on with a run that was paused or cut off, or that failed or was cancelled',
    body: { kind: 'optional_json', schema: resumptionSchema },
    answers: accepted('It goes on, or waits for a place to.'),
    problems: ofGoingOn,
    handle: async ({ context, param, body }, { registry }) =>
      answer(context, await registry.resume(param('id'), body)),
  }),
  defineRoute({
    method: 'post',
    path: '/pipelines/{id}/fork',
    operation: 'forkRun',
    tag: 'steering',
    summary: 'Makes a new run from the beginning of this one',
    body: { kind: 'optional_json', schema: forkSchema },
    answers: {
      201: {
        description: 'The new run, which has the history of this one up to there.',
        content: { 'application/json': acceptedSchema },
        headers: { Location: 'The address of the new run.' },
      },
    },
    problems: ofGoingOn,
    async handle({ context, param, body }, { registry }) {
      const fork = await registry.fork(param('id'), body);
      return jsonAnswer(context, fork, 201, { location: `/pipelines/${encodeURIComponent(fork.id)}` });
    },
  }),
];

function accepted(description: string): Readonly<Record<number, RouteAnswer>> {
  return { 202: { description, content: { 'application/json': acceptedSchema } } };
}

function answer(context: Context, run: AcceptedRun): Response {
  return jsonAnswer(context, run, 202);
}
