import { z } from 'zod';
import { format } from '../../format/format.js';
import { lower } from '../../graph/lower.js';
import type { NamedProperty } from '../../graph/properties/monitor.js';
import { readPropertyLines } from '../../graph/properties/property-list.js';
import { parseDot } from '../../parser/dot/parse.js';
import { compileOptionsOf } from '../../setup/extensions.js';
import { applyTransforms, builtInTransforms } from '../../transforms/index.js';
import { checkResultSchema, lintResultSchema, pictureQuerySchema } from '../api/language.js';
import { jsonAnswer } from '../http/answers.js';
import { defineRoute, type Route } from '../http/route.js';
import { draw } from '../pictures.js';
import { ProblemError } from '../problem-error.js';
import { setContentPolicy } from '../security/security-headers.js';
import type { ServerParts } from '../server-parts.js';

const dotText = z.strictObject({ dot: z.string() }).meta({ id: 'PipelineText' });
const checkedText = z.strictObject({ dot: z.string(), properties: z.string().optional() }).meta({
  id: 'CheckedText',
  description: '`properties`: more of them, a line `name: sentence` each, as in a file `.check`.',
});
const drawingQuery = pictureQuerySchema
  .omit({ run: true })
  .extend({ format: z.enum(['svg', 'dot', 'mermaid']).optional() });

/** Name of a text without a file in findings. */
const sourceName = 'pipeline.dot';

/** Routes that judge, draw and format texts without running them (§7, §9.1). */
export const languageRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/lint',
    operation: 'lint',
    tag: 'language',
    summary: 'Checks a pipeline: each problem, its position and its remedy',
    body: { kind: 'pipeline', schema: dotText },
    answers: {
      200: {
        description: 'Output of `attractor lint --format json`; the pipeline may have errors.',
        content: { 'application/json': lintResultSchema },
      },
    },
    problems: ['bad_request', 'unsupported_media_type'],
    async handle({ context, body: { dot: text } }, { extensions, judge }) {
      const judged = await judge({ ...request(text, extensions), mostJudged, checks: 'all' });
      const { diagnostics, summary } = judged;
      return jsonAnswer(context, { diagnostics: [...diagnostics], summary });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/check',
    operation: 'check',
    tag: 'language',
    summary: 'Decides the properties of a pipeline: each holds, is broken by a run, or is not decided',
    body: { kind: 'pipeline', schema: checkedText },
    answers: {
      200: {
        description: 'Verdicts of `attractor check --format json`; none for a pipeline without properties.',
        content: { 'application/json': checkResultSchema },
      },
    },
    problems: ['bad_request', 'invalid_pipeline', 'unsupported_media_type'],
    async handle({ context, body: { dot: text, properties: lines = '' } }, { extensions, check }) {
      const properties = readProperties(lines);
      const verdicts = await check({ text, name: sourceName, properties, extensions, mostJudged });
      return jsonAnswer(context, { properties: verdicts });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/format',
    operation: 'format',
    tag: 'language',
    summary: 'Formats a pipeline canonically; comments stay',
    body: { kind: 'pipeline', schema: dotText },
    answers: { 200: { description: 'DOT.', content: { 'text/vnd.graphviz': null } } },
    problems: ['bad_request', 'invalid_pipeline', 'unsupported_media_type'],
    async handle({ context, body: { dot } }, parts) {
      await checkSyntax(dot, parts);
      // A text without syntax errors can be printed.
      const { text = dot } = format(dot);
      return context.body(text, 200, { 'content-type': 'text/vnd.graphviz; charset=utf-8' });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/render',
    operation: 'render',
    tag: 'language',
    summary: 'Draws a pipeline',
    query: drawingQuery,
    body: { kind: 'pipeline', schema: dotText },
    answers: {
      200: {
        description: 'The picture.',
        content: { 'image/svg+xml': null, 'text/vnd.graphviz': null, 'text/plain': null },
      },
    },
    problems: ['bad_request', 'invalid_pipeline', 'unsupported_media_type'],
    async handle(
      { context, body, query: { format: wanted = 'svg', theme = 'auto' } },
      { extensions, layout, judge },
    ) {
      await checkSyntax(body.dot, { extensions, judge });
      const { document } = parseDot(body.dot);
      const { transforms, handlerTypes } = compileOptionsOf(extensions);
      const graph = applyTransforms(lower(document).graph, [...builtInTransforms, ...(transforms ?? [])]);
      const picture = await draw(graph, wanted, { theme, handlerTypes }, layout);
      setContentPolicy(context, 'picture');
      return context.body(picture.text, 200, { 'content-type': picture.type });
    },
  }),
];

/** @throws ProblemError `bad_request` with the first line that is not a property */
function readProperties(lines: string): readonly NamedProperty[] {
  const { properties, problems } = readPropertyLines(lines);
  const [first] = problems;
  if (first === undefined) return properties;
  const place = `line ${first.line}, column ${first.column} of \`properties\``;
  throw new ProblemError('bad_request', `${place}: ${first.message}`);
}

/** Maximum of nodes, edges and subgraphs: judging more takes one of the threads for longer than a second. */
const mostJudged = 10_000;

function request(text: string, extensions: ServerParts['extensions']) {
  return { text, name: sourceName, extensions, files: undefined, mostJudged: undefined };
}

/**
 * Reads a text on another thread before this one does: what takes long is a text with mistakes.
 * @throws ProblemError `invalid_pipeline`
 */
async function checkSyntax(
  text: string,
  { extensions, judge }: Pick<ServerParts, 'extensions' | 'judge'>,
): Promise<void> {
  const { diagnostics } = await judge({ ...request(text, extensions), checks: 'syntax' });
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  throw new ProblemError('invalid_pipeline', 'the text cannot be read as a pipeline', {
    diagnostics: errors,
  });
}
