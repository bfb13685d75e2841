import type { Context } from 'hono';
import { z } from 'zod';
import { conversationPage } from '../../view/conversation/conversation-page.js';
import { conversationPageSchema } from '../../view/conversation/conversation-page-schema.js';
import { currentCheckpoint } from '../../view/current-checkpoint.js';
import type { FoundFile } from '../../view/found-file.js';
import { readStageFile } from '../../view/read-stage-file.js';
import { artifactList, readArtifact } from '../../view/run-artifacts.js';
import { stageDetail } from '../../view/stage-detail.js';
import {
  artifactListSchema,
  stageDetailSchema,
  stageValuesSchema,
  timelineSchema,
} from '../../view/stage-schema.js';
import { timeline } from '../../view/timeline.js';
import { valuesOfVisit } from '../../view/values-of-visit.js';
import { checkpointSchema, contextSchema } from '../api/checkpoint.js';
import { downloadAnswer, jsonTextAnswer, plainTextAnswer } from '../http/answers.js';
import { defineRoute, type Route } from '../http/route.js';
import { begunRun } from '../http/run-of.js';
import { wholeNumber } from '../http/whole-number.js';
import { ProblemError } from '../problem-error.js';
import type { ServerParts } from '../server-parts.js';

const mostBytes = 10 * 1024 * 1024;
const mostVisits = 5000;
const mostEntries = 5000;

const visitNumber = wholeNumber(1, 999_999_999).optional();

const fileQuery = z.object({
  limit: wholeNumber(1, mostBytes).optional(),
  part: z.enum(['beginning', 'end']).optional(),
});

/** Routes for the history of a run, and the files of its stages (§5, §9.5). */
export const historyRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/checkpoint',
    operation: 'getCheckpoint',
    tag: 'history',
    summary: 'Returns the current checkpoint of a run',
    answers: {
      200: { description: 'The latest of them.', content: { 'application/json': checkpointSchema } },
    },
    problems: ['not_found', 'conflict'],
    handle: ({ context, param }, server) => jsonTextAnswer(context, checkpointOf(server, param('id'))),
  }),
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/context',
    operation: 'getContext',
    tag: 'history',
    summary: 'Returns the current context of a run',
    answers: {
      200: { description: 'The values by their keys.', content: { 'application/json': contextSchema } },
    },
    problems: ['not_found', 'conflict'],
    handle({ context, param }, server) {
      const { context: values } = JSON.parse(checkpointOf(server, param('id'))) as { context: unknown };
      return jsonTextAnswer(context, JSON.stringify({ context: values }));
    },
  }),
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/timeline',
    operation: 'getTimeline',
    tag: 'history',
    summary: 'Lists the visits of all stages, in the order in which they began',
    query: z.object({ limit: wholeNumber(1, mostVisits).optional() }),
    answers: {
      200: { description: 'The latest of them.', content: { 'application/json': timelineSchema } },
    },
    problems: ['bad_request', 'not_found', 'conflict'],
    handle: ({ context, param, query: { limit = 1000 } }, server) =>
      jsonTextAnswer(context, JSON.stringify(timeline(begunRun(server, param('id')), limit))),
  }),
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/stages/{node}',
    operation: 'getStage',
    tag: 'history',
    summary: 'Returns a stage and its visits',
    query: z.object({ visit: visitNumber }),
    answers: {
      200: {
        description: 'The latest of them, and the named one.',
        content: { 'application/json': stageDetailSchema },
      },
    },
    problems: ['bad_request', 'not_found', 'conflict'],
    handle({ context, param, query: { visit } }, server) {
      const stage = stageDetail(
        begunRun(server, param('id')),
        param('node'),
        { visit },
        server.histories.read,
      );
      if (stage !== undefined) return jsonTextAnswer(context, JSON.stringify(stage));
      throw new ProblemError('not_found', `the pipeline has no stage "${param('node')}"`);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/stages/{node}/values',
    operation: 'getStageValues',
    tag: 'history',
    summary: 'Returns the values that a visit of a stage read and gave',
    query: z.object({ visit: visitNumber }),
    answers: {
      200: {
        description: 'Those of the named visit, or of the latest one.',
        content: { 'application/json': stageValuesSchema },
      },
    },
    problems: ['bad_request', 'not_found', 'conflict'],
    handle({ context, param, query: { visit } }, server) {
      const values = valuesOfVisit(begunRun(server, param('id')), { nodeId: param('node'), visit });
      if (values !== undefined) return jsonTextAnswer(context, JSON.stringify(values));
      throw new ProblemError('not_found', `the stage "${param('node')}" has no such visit`);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/stages/{node}/conversation',
    operation: 'getStageConversation',
    tag: 'history',
    summary: 'Returns the conversation of a visit of a stage with its model or agent',
    description:
      'A page has about 1 MB of the file. `next` is the `after` of the following page; while the stage runs, ask for that again until it has entries.',
    query: z.object({
      visit: visitNumber,
      after: wholeNumber(0, 999_999_999).optional(),
      limit: wholeNumber(1, mostEntries).optional(),
    }),
    answers: {
      200: {
        description: 'Entries in their order; none if no model or agent has been asked.',
        content: { 'application/json': conversationPageSchema },
      },
    },
    problems: ['bad_request', 'not_found', 'conflict'],
    handle({ context, param, query: { visit, after = 0, limit = mostEntries } }, server) {
      const place = { nodeId: param('node'), visit, after, limit };
      const found = conversationPage(begunRun(server, param('id')), place, server.histories.read);
      if (found.kind === 'found') return jsonTextAnswer(context, JSON.stringify(found.page));
      throw new ProblemError(found.kind === 'missing' ? 'not_found' : 'bad_request', found.message);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/stages/{node}/files/{path}',
    operation: 'getStageFile',
    tag: 'history',
    summary: 'Returns a file that a visit of a stage has written',
    description:
      'The path is the rest of the address. Text is sent as plain text, everything else as a download.',
    query: fileQuery.extend({ visit: visitNumber }),
    answers: fileAnswers(['text/plain', 'application/octet-stream']),
    problems: ['bad_request', 'not_found', 'conflict'],
    handle({ context, param, query: { visit, limit = mostBytes, part = 'beginning' } }, server) {
      const name = { nodeId: param('node'), path: param('path'), visit };
      const file = readStageFile(begunRun(server, param('id')), name, { limit, part }, server.histories.read);
      return fileAnswer(context, file, name.path);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/artifacts',
    operation: 'listArtifacts',
    tag: 'history',
    summary: 'Lists the artifacts of a run',
    answers: {
      200: {
        description: 'In the order in which they were stored.',
        content: { 'application/json': artifactListSchema },
      },
    },
    problems: ['not_found', 'conflict'],
    handle: ({ context, param }, server) =>
      jsonTextAnswer(context, JSON.stringify(artifactList(begunRun(server, param('id'))))),
  }),
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/artifacts/{aid}',
    operation: 'getArtifact',
    tag: 'history',
    summary: 'Returns an artifact of a run, as JSON text',
    query: fileQuery,
    answers: fileAnswers(['text/plain', 'application/octet-stream']),
    problems: ['bad_request', 'not_found', 'conflict'],
    handle({ context, param, query: { limit = mostBytes, part = 'beginning' } }, server) {
      const file = readArtifact(begunRun(server, param('id')), param('aid'), { limit, part });
      return fileAnswer(context, file, param('aid'));
    },
  }),
];

function fileAnswers(types: readonly string[]): Route['answers'] {
  return {
    200: {
      description: 'The file, or the requested part of it.',
      content: Object.fromEntries(types.map((type) => [type, null])),
      headers: { 'X-File-Size': 'The bytes of the whole file.' },
    },
  };
}

function checkpointOf(server: ServerParts, id: string): string {
  const directory = begunRun(server, id);
  const { status } = server.registry.detail(id);
  const text = currentCheckpoint(directory, status === 'running' || status === 'interrupted');
  if (text !== undefined) return text;
  throw new ProblemError('not_found', `the run "${id}" has no checkpoint yet`);
}

function fileAnswer(context: Context, file: FoundFile, name: string): Response {
  // What leads out of the run is nothing that a client is to know of.
  if (file.kind !== 'found') throw new ProblemError('not_found', file.message);
  context.header('x-file-size', String(file.size));
  const text = textOf(file.data);
  if (text !== undefined) return plainTextAnswer(context, text);
  return downloadAnswer(context, Uint8Array.from(file.data), name.split('/').at(-1) ?? name);
}

/**
 * Text of data; undefined if it is binary. A character that is cut at an end of the part does not count as
 * binary.
 */
function textOf(data: Buffer): string | undefined {
  if (data.includes(0)) return undefined;
  const text = data.toString('utf8');
  return text.slice(4, -4).includes('\uFFFD') ? undefined : text.replaceAll('\uFFFD', '');
}
