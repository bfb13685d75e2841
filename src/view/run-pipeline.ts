import type { Graph } from '../graph/graph.js';
import type { HandlerType } from '../graph/handler-types.js';
import { type KnownHandlerTypes, knownHandlerTypes } from '../graph/known-handler-types.js';
import { lower } from '../graph/lower.js';
import { buildProgram, type Program } from '../graph/program.js';
import { exitNodes, startNodes } from '../graph/queries.js';
import { parseDot } from '../parser/dot/parse.js';
import type { Manifest } from '../run-directory/manifest.js';
import { readManifest } from '../run-directory/manifest.js';
import { readPipeline } from '../run-directory/read-pipeline.js';
import { applyTransforms, builtInTransforms, type TransformLike } from '../transforms/index.js';

/** Extensions of a run by plugins, if the reader has loaded them. */
export interface RunExtensions {
  readonly transforms?: readonly TransformLike[];
  readonly handlerTypes?: readonly HandlerType[];
}

/** Pipeline of a run, as it was run. */
export interface RunPipeline {
  readonly text: string;
  readonly graph: Graph;
  readonly handlerTypes: KnownHandlerTypes;
  /** Nodes; empty if the graph does not run without the transforms of a plugin. */
  readonly nodes: Program['nodes'];
}

/**
 * Reads the pipeline of a run for readers of it: it is not judged again, and no plugin is loaded.
 * @throws RunError where the run cannot be read
 */
export function runPipelineOf(
  directory: string,
  { transforms = [], handlerTypes: described }: RunExtensions = {},
  manifest: Manifest = readManifest(directory),
): RunPipeline {
  const text = readPipeline(directory);
  const graph = applyTransforms(lower(parseDot(text).document).graph, [...builtInTransforms, ...transforms]);
  const handlerTypes = knownHandlerTypes([...(described ?? []), ...(manifest.options.handler_types ?? [])]);
  return { text, graph, handlerTypes, nodes: nodesOf(graph, handlerTypes) };
}

function nodesOf(graph: Graph, handlerTypes: KnownHandlerTypes): Program['nodes'] {
  const isWhole = startNodes(graph).length > 0 && exitNodes(graph).length > 0;
  return isWhole ? buildProgram(graph, handlerTypes).nodes : new Map();
}
