import type { Span } from '../../diagnostic/source.js';
import { childOf, mentionsIn } from './text/mentions.js';
import type { Neighbours, PipelineText } from './text/pipeline-text.js';

/** Pipeline in a hierarchy of those that run one another. */
export interface CallItem {
  readonly uri: string;
  readonly name: string;
  readonly span: Span;
  readonly nameSpan: Span;
}

/** Pipeline that runs another, or is run, with the places that say so: ids of stages, in the text of the caller. */
export interface Call {
  readonly item: CallItem;
  readonly places: readonly Span[];
}

/** Pipeline that an offset is about: the child of a stage or a path, else the text itself. */
export function callItemAt(
  pipeline: PipelineText,
  offset: number,
  neighbours: Neighbours,
): CallItem | undefined {
  const here = mentionsIn(pipeline).filter(({ span }) => span.start <= offset && offset <= span.end);
  for (const { thing } of here) {
    const uri =
      thing.kind === 'file' ? thing.name : thing.kind === 'node' ? childOf(thing.name, pipeline) : undefined;
    const child = uri === undefined ? undefined : neighbours.pipeline(uri);
    if (child !== undefined) return itemOf(child);
  }
  return itemOf(pipeline);
}

/** Pipelines that the stages of a pipeline run. */
export function outgoingCalls(pipeline: PipelineText, neighbours: Neighbours): readonly Call[] {
  return [...stagesByChild(pipeline)].flatMap(([uri, places]) => {
    const child = neighbours.pipeline(uri);
    const item = child && itemOf(child);
    return item === undefined ? [] : [{ item, places }];
  });
}

/** Known pipelines with stages that run this one. */
export function incomingCalls({ uri }: PipelineText, neighbours: Neighbours): readonly Call[] {
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  return [...neighbours.containing(name)].flatMap((caller) => {
    const places = stagesByChild(caller).get(uri);
    const item = itemOf(caller);
    return places === undefined || item === undefined ? [] : [{ item, places }];
  });
}

function stagesByChild(pipeline: PipelineText): ReadonlyMap<string, readonly Span[]> {
  const stages = new Map<string, Span[]>();
  for (const node of pipeline.graph.nodes.values()) {
    const uri = childOf(node.id, pipeline);
    if (uri === undefined) continue;
    const places = stages.get(uri);
    if (places === undefined) stages.set(uri, [node.span]);
    else places.push(node.span);
  }
  return stages;
}

function itemOf({ uri, parsed }: PipelineText): CallItem | undefined {
  const { graph } = parsed.document;
  return graph && { uri, name: graph.name.name, span: graph.span, nameSpan: graph.name.span };
}
