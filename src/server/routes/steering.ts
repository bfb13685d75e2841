import type { Context } from 'hono';
import { z } from 'zod';
import {
  type AcceptedRun,
  acceptedSchema,
  forkSchema,
  pauseSchema,
  resumptionSchema,
  steeredSchema,
  steerSchema,
} from '../api/run.js';
import { jsonAnswer } from '../http/answers.js';
import { defineRoute, type Route, type RouteAnswer } from '../http/route.js';

const nothing = z.strictObject({});

/** Problems that keep a run from continuing, or from being forked. */
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
      'Its stages are stopped. Finished stages stay finished, and the run can be resumed. A queued run is removed from the queue.',
    body: { kind: 'optional_json', schema: nothing },
    answers: accepted('It was cancelled, or will be as soon as its stages have stopped.'),
    problems: ['not_found', 'conflict'],
    handle: async ({ context, param }, { registry }) => answer(context, await registry.cancel(param('id'))),
  }),
  defineRoute({
    method: 'post',
    path: '/pipelines/{id}/pause',
    operation: 'pauseRun',
    tag: 'steering',
    summary: 'Pauses a run',
    description:
      'After its current stages; or `now`, which stops them, so that they run again when the run is resumed.',
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
    summary: 'Resumes a run that was paused, interrupted or cancelled, or that failed',
    body: { kind: 'optional_json', schema: resumptionSchema },
    answers: accepted('It continues, or is queued.'),
    problems: ofGoingOn,
    handle: async ({ context, param, body }, { registry }) =>
      answer(context, await registry.resume(param('id'), body)),
  }),
  defineRoute({
    method: 'post',
    path: '/pipelines/{id}/steer',
    operation: 'steerStage',
    tag: 'steering',
    summary: 'Says something to the model of a running stage',
    description:
      'The model gets the words before its next request, an agent as its next prompt. They are in the journal when the response comes. A stage that is not running, or whose worker takes no words, is a conflict, with the reason.',
    body: { kind: 'json', schema: steerSchema },
    answers: {
      200: {
        description: 'The words are in the journal.',
        content: { 'application/json': steeredSchema },
      },
    },
    problems: ['bad_request', 'not_found', 'conflict', 'unsupported_media_type', 'storage'],
    handle: async ({ context, param, body }, { registry }) =>
      jsonAnswer(context, await registry.steer(param('id'), body)),
  }),
  defineRoute({
    method: 'post',
    path: '/pipelines/{id}/fork',
    operation: 'forkRun',
    tag: 'steering',
    summary: 'Forks a run: starts a new run from a step of this one',
    body: { kind: 'optional_json', schema: forkSchema },
    answers: {
      201: {
        description: 'The new run, with the history of this one up to that step.',
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
