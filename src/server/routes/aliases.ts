import { typedAnswer } from '../../run/questions/match-answer.js';
import { answerAliasSchema, answeredSchema } from '../api/question.js';
import { acceptedSchema, submissionSchema } from '../api/run.js';
import { runDetailSchema } from '../api/run-detail.js';
import { jsonAnswer, jsonTextAnswer } from '../http/answers.js';
import { defineRoute, type Route } from '../http/route.js';
import { ProblemError } from '../problem-error.js';
import type { ServerParts } from '../server-parts.js';

/** The three operations as §11.11 calls them (SEMANTICS 73). */
export const aliasRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/run',
    operation: 'run',
    tag: 'runs',
    summary: 'The same as POST /pipelines',
    body: { kind: 'pipeline', schema: submissionSchema },
    answers: {
      201: { description: 'It runs.', content: { 'application/json': acceptedSchema } },
      202: { description: 'It is queued.', content: { 'application/json': acceptedSchema } },
    },
    problems: [
      'bad_request',
      'invalid_pipeline',
      'not_allowed',
      'too_many_requests',
      'unsupported_media_type',
      'storage',
    ],
    async handle({ context, body }, { registry }) {
      const run = await registry.submit(body);
      return jsonAnswer(context, run, run.status === 'queued' ? 202 : 201);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/status/{id}',
    operation: 'status',
    tag: 'runs',
    summary: 'The same as GET /pipelines/{id}',
    answers: {
      200: { description: 'The state of the run.', content: { 'application/json': runDetailSchema } },
    },
    problems: ['not_found', 'conflict'],
    handle: ({ context, param }, { registry }) => jsonTextAnswer(context, registry.detailText(param('id'))),
  }),
  defineRoute({
    method: 'post',
    path: '/answer/{id}',
    operation: 'answer',
    tag: 'questions',
    summary: 'Answers a question of a run; the question may be left out where there is only one',
    body: { kind: 'json', schema: answerAliasSchema },
    answers: {
      200: {
        description: 'The answer as understood.',
        content: { 'application/json': answeredSchema },
      },
    },
    problems: ['bad_request', 'not_found', 'conflict', 'unsupported_media_type', 'storage'],
    async handle({ context, param, body: { answer, text, question } }, server) {
      const id = param('id');
      const asked = question ?? onlyQuestion(server, id);
      return jsonAnswer(context, await server.registry.answer(id, asked, typedAnswer(answer, text)));
    },
  }),
];

function onlyQuestion({ registry }: ServerParts, id: string): string {
  const open = registry.questions(id).filter(({ answered }) => !answered);
  const [only] = open;
  if (only === undefined) {
    throw new ProblemError('conflict', `the run "${id}" has no open question`);
  }
  if (open.length === 1) return only.id;
  const stages = open.map(({ stage }) => `"${stage}"`).join(', ');
  throw new ProblemError('bad_request', `several questions are open, of ${stages}: name one with "question"`);
}
