import { didYouMean } from '../../../diagnostic/did-you-mean.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Graph } from '../../../graph/graph.js';
import type { KnownHandlerTypes } from '../../../graph/known-handler-types.js';
import { nodesHandledBy } from '../../../graph/queries.js';
import {
  readsFile,
  type StagePath,
  stagePathOf,
  stageValueNames,
} from '../../../graph/values/seen-stages.js';
import { type ContextRead, contextReads } from '../../analysis/context-reads.js';
import { type ControlFlow, controlFlow, type ProgramPoint } from '../../analysis/control-flow.js';
import { spanInside } from '../../findings-inside.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 104: a value of a stage is read by the id of its node and the name of the value. */
export const stageValueKnown: LintRule = {
  name: 'stage_value_known',
  severity: 'error',
  summary: 'A value read as `stages.<id>.<value>` can exist.',
  rationale:
    'In `stages.<id>.<value>`, `<id>` is a node of this pipeline, and `<value>` one of `response`, `output`, `json`, `outcome`, `success`, `notes`, `failure_reason`, `failure_category`, `preferred_label`, `text`, `visits` and `retries`; anything else would be empty in every run. `response` and `output` are files, which conditions cannot read: let a stage read the file and set a small key, or test another value. A stage that several branches execute has values in each of them, so after the join read those of one branch or of all: `parallel.results.0.stages.check.notes`, `parallel.results.*.stages.check.notes`.',
  followsFlow: true,
  *apply(graph, { source, handlerTypes }) {
    const branches = new BranchStages(graph, handlerTypes);
    for (const read of contextReads(graph)) {
      const path = stagePathOf(read.path);
      const problem = path && problemOf(graph, read, path, branches);
      if (problem === undefined) continue;
      const { attribute, span, node, edge } = read;
      const isOfNode = edge === undefined || edge[0] === edge[1];
      yield {
        ...problem,
        span: spanInside(attribute, span, source),
        nodeId: isOfNode ? node.id : undefined,
        edge: isOfNode ? undefined : edge,
      };
    }
  },
};

type Problem = Omit<Finding, 'span'>;

function problemOf(
  graph: Graph,
  read: ContextRead,
  path: StagePath,
  branches: BranchStages,
): Problem | undefined {
  const { id, field } = path;
  if (!graph.nodes.has(id)) {
    return {
      message: `${excerpt(read.path)} refers to the stage "${id}", which is not in this pipeline${didYouMean(id, [...graph.nodes.keys()])}`,
      fix: { title: 'name a node of this pipeline', edits: [] },
    };
  }
  const names: readonly string[] = stageValueNames;
  if (field === undefined || !names.includes(field)) return unknownValue(read, field);
  if (read.by === 'condition' && readsFile(path) && read.clause?.kind !== 'exists')
    return fileRead(read, path);
  return path.branch === undefined && branches.severalExecute(id, read)
    ? severalBranches(read, path)
    : undefined;
}

function unknownValue({ path }: ContextRead, field: string | undefined): Problem {
  const problem =
    field === undefined ? 'names no value of the stage' : `reads "${field}", which no stage has`;
  return {
    message: `${excerpt(path)} ${problem}${field === undefined ? '' : didYouMean(field, stageValueNames)}`,
    fix: { title: `read one of ${stageValueNames.join(', ')}`, edits: [] },
  };
}

function fileRead({ path }: ContextRead, { id, field }: StagePath): Problem {
  const kind = field === 'response' ? 'response' : 'output';
  return {
    message: `${excerpt(path)} is the whole ${kind} of "${id}", which is in a file, and conditions cannot read files`,
    fix: {
      title: `let a stage read it and set a small key, or test \`stages.${id}.outcome\` or \`stages.${id}.json\``,
      edits: [],
    },
  };
}

function severalBranches({ path }: ContextRead, { id, field = '' }: StagePath): Problem {
  return {
    message: `${excerpt(path)} is not set here: several branches execute "${id}", and each has its own`,
    fix: {
      title: `read \`parallel.results.*.stages.${id}.${field}\`, or that of one branch by its number`,
      edits: [],
    },
  };
}

/** Stages that only branches execute, and more than one of them. */
class BranchStages {
  readonly #flow: ControlFlow;
  readonly #hasParallels: boolean;

  constructor(graph: Graph, handlerTypes: KnownHandlerTypes) {
    this.#hasParallels = nodesHandledBy(graph, handlerTypes, ({ forks }) => forks).length > 0;
    this.#flow = controlFlow(graph, handlerTypes);
  }

  /** True if a read is on the main line, and the stage in several branches, but not on the main line. */
  severalExecute(id: string, { node }: ContextRead): boolean {
    if (!this.#hasParallels || !this.#flow.isComplete) return false;
    const isOnMainLine = this.#flow.placesOf(node.id).some(({ region }) => region === undefined);
    const points = this.#flow.placesOf(id);
    if (!isOnMainLine || points.length === 0 || points.some(({ region }) => region === undefined))
      return false;
    return points.some((point) => this.#branchesTo(point) > 1);
  }

  /** Number of branches of the parallel node around a place that lead there. */
  #branchesTo({ index, region, node: { id } }: ProgramPoint): number {
    const parallels = this.#flow.placesOf(region?.parallelId ?? id);
    const entries = parallels.flatMap((point) =>
      this.#flow.stepsFrom(point.index).filter(({ by, to }) => by === 'branch' && this.#isIn(to, region)),
    );
    return entries.filter(({ to }) => this.#leadsTo(to, index, region)).length;
  }

  #isIn(index: number, region: ProgramPoint['region']): boolean {
    return this.#flow.points[index]?.region === region;
  }

  #leadsTo(from: number, to: number, region: ProgramPoint['region']): boolean {
    const reached = new Set([from]);
    for (const point of reached) {
      if (point === to) return true;
      for (const step of this.#flow.stepsFrom(point)) if (this.#isIn(step.to, region)) reached.add(step.to);
    }
    return false;
  }
}
