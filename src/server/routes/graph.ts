import type { Graph } from '../../graph/graph.js';
import type { HandlerType } from '../../graph/handler-types.js';
import { lower } from '../../graph/lower.js';
import { parseDot } from '../../parser/dot/parse.js';
import { readPipeline } from '../../run-directory/read-pipeline.js';
import { applyTransforms, builtInTransforms } from '../../transforms/index.js';
import { graphStructureSchema } from '../../view/graph-schema.js';
import { graphStructure } from '../../view/graph-structure.js';
import { runPipelineOf } from '../../view/run-pipeline.js';
import { traceRun } from '../../view/trace-run.js';
import { pictureQuerySchema } from '../api/language.js';
import { jsonTextAnswer, plainTextAnswer, validatedAnswer } from '../http/answers.js';
import { defineRoute, type Route } from '../http/route.js';
import { draw } from '../pictures.js';
import { setContentPolicy } from '../security/security-headers.js';

/** The pipeline of a run, as a picture and as it was written (§9.5). */
export const graphRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/graph',
    operation: 'getGraph',
    tag: 'history',
    summary: 'Draws the pipeline of a run with the state of its stages',
    description:
      'SVG by default. Nodes have the element id `node-<id>`, edges `edge-<number>`; `json` returns the ids that events refer to.',
    query: pictureQuerySchema,
    answers: {
      200: {
        description: 'The picture.',
        content: {
          'image/svg+xml': null,
          'text/vnd.graphviz': null,
          'text/plain': null,
          'application/json': graphStructureSchema,
        },
      },
    },
    problems: ['bad_request', 'not_found', 'conflict'],
    async handle({ context, param, query }, server) {
      const { format = 'svg', theme = 'auto', run = 'drawn' } = query;
      const id = param('id');
      const directory = server.registry.directory(id);
      const { status, seq } = server.registry.detail(id);
      const pipeline = () => pipelineOf(directory, status === 'queued');
      if (format === 'json') {
        const { graph, handlerTypes } = pipeline();
        return jsonTextAnswer(context, JSON.stringify(graphStructure(graph, handlerTypes)));
      }
      const hasOverlay = run === 'drawn' && status !== 'queued';
      const state = hasOverlay ? `${status}-${seq}` : '';
      const picture = await server.pictures.get(
        JSON.stringify([directory, format, theme, state]),
        async () => {
          const { graph, handlerTypes } = pipeline();
          const overlay = hasOverlay ? traceRun(directory, graph, Date.now()) : undefined;
          return draw(graph, format, { theme, handlerTypes, overlay }, server.layout);
        },
      );
      setContentPolicy(context, 'picture');
      return validatedAnswer(context, picture.text, picture.type, 'no-cache');
    },
  }),
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/source',
    operation: 'getSource',
    tag: 'history',
    summary: 'Returns the text of the pipeline that was run',
    answers: { 200: { description: 'DOT.', content: { 'text/plain': null } } },
    problems: ['not_found', 'conflict'],
    handle: ({ context, param }, { registry }) =>
      plainTextAnswer(context, readPipeline(registry.directory(param('id')))),
  }),
];

interface DrawnPipeline {
  readonly graph: Graph;
  readonly handlerTypes: Iterable<HandlerType>;
}

/** A run in the queue has no manifest yet, and needs none: nothing has happened in it. */
function pipelineOf(directory: string, isQueued: boolean): DrawnPipeline {
  if (isQueued) {
    const { document } = parseDot(readPipeline(directory));
    return { graph: applyTransforms(lower(document).graph, builtInTransforms), handlerTypes: [] };
  }
  const { graph, handlerTypes } = runPipelineOf(directory);
  return { graph, handlerTypes: [...(handlerTypes.described?.values() ?? [])] };
}
