import { typedAnswer } from '../../run/questions/match-answer.js';
import { answeredSchema, answerSchema, questionListSchema } from '../api/question.js';
import { jsonAnswer, jsonTextAnswer } from '../http/answers.js';
import { defineRoute, type Route } from '../http/route.js';

/** People answer what runs ask (§6, §9.5). */
export const questionRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/questions',
    operation: 'listQuestions',
    tag: 'questions',
    summary: 'Lists the questions of a run that wait for an answer',
    answers: {
      200: {
        description: 'Includes those of child runs.',
        content: { 'application/json': questionListSchema },
      },
    },
    problems: ['not_found', 'conflict'],
    handle: ({ context, param }, { registry }) =>
      jsonTextAnswer(context, JSON.stringify({ questions: registry.questions(param('id')) })),
  }),
  defineRoute({
    method: 'post',
    path: '/pipelines/{id}/questions/{qid}/answer',
    operation: 'answerQuestion',
    tag: 'questions',
    summary: 'Answers a question',
    description:
      'The answer as a person would give it: the key or label of an option, or free text. The first answer counts.',
    body: { kind: 'json', schema: answerSchema },
    answers: {
      200: {
        description: 'The answer as understood.',
        content: { 'application/json': answeredSchema },
      },
    },
    problems: ['bad_request', 'not_found', 'conflict', 'unsupported_media_type', 'storage'],
    handle: async ({ context, param, body }, { registry }) =>
      jsonAnswer(
        context,
        await registry.answer(param('id'), param('qid'), typedAnswer(body.answer, body.text)),
      ),
  }),
];
