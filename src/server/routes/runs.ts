import { z } from 'zod';
import { acceptedSchema, runListSchema, runStatuses, submissionSchema } from '../api/run.js';
import { runDetailSchema } from '../api/run-detail.js';
import { jsonAnswer, jsonTextAnswer } from '../http/answers.js';
import { defineRoute, type Route } from '../http/route.js';
import { wholeNumber } from '../http/whole-number.js';

const usualPage = 50;

const listQuery = z.object({
  search: z.string().max(200).optional(),
  status: z.enum(runStatuses).optional(),
  limit: wholeNumber(1, 200).optional(),
  cursor: z.string().max(200).optional(),
});

/** Runs are started, listed and looked at (§9.5). */
export const runRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/pipelines',
    operation: 'submitPipeline',
    tag: 'runs',
    summary: 'Starts a pipeline',
    description:
      'DOT, or a JSON object with the DOT text as `dot` and the options of the run. The run is on disk before the response is sent.',
    body: { kind: 'pipeline', schema: submissionSchema },
    answers: {
      201: {
        description: 'It runs.',
        content: { 'application/json': acceptedSchema },
        headers: { Location: 'The address of the run.' },
      },
      202: {
        description: 'It is queued: the server already executes its maximum number of runs.',
        content: { 'application/json': acceptedSchema },
        headers: { Location: 'The address of the run.' },
      },
    },
    problems: ['bad_request', 'invalid_pipeline', 'not_allowed', 'unsupported_media_type', 'storage'],
    async handle({ context, body }, { registry }) {
      const run = await registry.submit(body);
      const headers = { location: `/pipelines/${encodeURIComponent(run.id)}` };
      return jsonAnswer(context, run, run.status === 'queued' ? 202 : 201, headers);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/pipelines',
    operation: 'listRuns',
    tag: 'runs',
    summary: 'Lists runs, the newest first',
    query: listQuery,
    answers: { 200: { description: 'A page of the list.', content: { 'application/json': runListSchema } } },
    problems: ['bad_request'],
    handle: async ({ context, query: { limit = usualPage, ...query } }, { registry }) =>
      jsonTextAnswer(context, JSON.stringify(await registry.list({ ...query, limit }))),
  }),
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}',
    operation: 'getRun',
    tag: 'runs',
    summary: 'Returns the state of a run',
    answers: {
      200: { description: 'Its state.', content: { 'application/json': runDetailSchema } },
    },
    problems: ['not_found', 'conflict'],
    handle: ({ context, param }, { registry }) => jsonTextAnswer(context, registry.detailText(param('id'))),
  }),
];
