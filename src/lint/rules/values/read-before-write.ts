import type { RelatedLocation } from '../../../diagnostic/diagnostic.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import type { Attribute, Graph, Node } from '../../../graph/graph.js';
import { declaredInputs } from '../../../graph/values/declared-inputs.js';
import { handlerKeys, writingType } from '../../../graph/values/handler-keys.js';
import { contextKey } from '../../../graph/values/key-lists.js';
import { stagePathOf } from '../../../graph/values/seen-stages.js';
import type { ContextRead } from '../../analysis/context-reads.js';
import { contextWriters, isInJsonOfTool, parallelResultsKey } from '../../analysis/context-writes.js';
import { type ControlFlow, controlFlow } from '../../analysis/control-flow.js';
import { type UnwrittenRead, unwrittenReads } from '../../analysis/unwritten-reads.js';
import { describePath } from '../../describe-path.js';
import { spanInside } from '../../findings-inside.js';
import { flowSearch, readingNothing } from '../../flow/flow-search.js';
import { type Proof, proofOf } from '../../flow/proof.js';
import { nodesOf } from '../../flow/witness.js';
import { keyMeantInCondition, keyOfHandlerMeant } from '../../key-meant.js';
import { listNames } from '../../list-names.js';
import { nameSuggester } from '../../name-suggester.js';
import type { Finding, LintContext, LintRule } from '../../rule.js';

/**
 * §5.1, SEMANTICS §12, 51: a value is set only if an earlier stage has set it, on the path that the run has
 * taken.
 */
export const readBeforeWrite: LintRule = {
  name: 'read_before_write',
  severity: 'warning',
  summary: 'A value of the run is set before it is read.',
  rationale:
    'A missing value is an empty text: the prompt has a gap, or a condition silently selects the wrong edge. Lint knows which stages set the keys of handlers, such as `tool.output`, and the keys that `writes` declares. The item of a `foreach` is set only in its branch. After the join, values that a branch set are only in `parallel.results`, unless `on_conflict` merges them; a fan-in removes `parallel.results`, for its own conditions and assignments too; and a `loop_restart` clears everything. A value of a stage, such as `stages.test.notes`, exists only if the run has passed that stage. If all earlier stages declare in `writes` what they set, a key that none of them declares is certainly missing. Below `internal.` and `graph.` only the engine sets keys: `internal.restart_count`, `internal.retry_count.NODE` and the attributes of the graph. Below `tool.`, `human.` and `parallel.` only handlers do. `result.` has the fields of the previous outcome, and the keys that the previous stage set. Set the key in an earlier stage, declare it in the `writes` of that stage, or pass it from outside and read it as `inputs.<key>`.',
  provesAbsence: true,
  followsFlow: true,
  *apply(graph, context) {
    let facts: GraphFacts | undefined;
    const reported = new Map<Attribute, Set<number>>();
    for (const found of unwrittenReads(graph, context.handlerTypes)) {
      const { unwritten, proof } = asRunsShow(graph, context, found);
      if (proof === undefined) continue;
      const { attribute, span, node, edge } = unwritten.read;
      const starts = reported.get(attribute) ?? new Set();
      // An attribute that is written once, in a default block or on a chain, is reported once.
      facts ??= graphFacts(graph, context);
      const problem = starts.has(span.start) ? undefined : describe(unwritten, facts);
      if (problem === undefined) continue;
      reported.set(attribute, starts.add(span.start));
      const isOfNode = edge === undefined || edge[0] === edge[1];
      yield {
        ...problem,
        ...proof,
        span: spanInside(attribute, span, context.source),
        nodeId: isOfNode ? node.id : undefined,
        edge: isOfNode ? undefined : edge,
      };
    }
  },
};

interface ShownRead {
  readonly unwritten: UnwrittenRead;
  /** Undefined if no run comes to the read, or none without the value. */
  readonly proof: Proof | undefined;
}

/** A read with the way of a run on which its value is missing, instead of one that only the graph allows. */
function asRunsShow(graph: Graph, { handlerTypes }: LintContext, unwritten: UnwrittenRead): ShownRead {
  const { read } = unwritten;
  if (unwritten.kind === 'impossible' || unwritten.kind === 'consumed') return { unwritten, proof: {} };
  if (unwritten.kind === 'nobody' && unwritten.way === undefined) return { unwritten, proof: {} };
  const nodeId = read.node.id;
  const answer =
    unwritten.kind === 'maybe'
      ? readingNothing(graph, handlerTypes, { key: read.key, nodeId })
      : flowSearch(graph, handlerTypes)?.entering(nodeId);
  const proof = proofOf(answer);
  if (answer?.kind !== 'found') return { unwritten, proof };
  const way = [...nodesOf(answer.walk), nodeId];
  // A stage on the way that could have set it has not: the message says so of one without any.
  const passes = unwritten.kind === 'maybe' && [...unwritten.writers].some(({ id }) => way.includes(id));
  return { unwritten: passes ? unwritten : { ...unwritten, way }, proof };
}

type Problem = Omit<Finding, 'span'>;

/** Facts that are computed once for all findings of a graph. */
interface GraphFacts {
  readonly flow: ControlFlow;
  readonly suggest: (key: string) => string | undefined;
  /** False for a key that only handlers set of which no stage has one. */
  readonly maySet: (path: string) => boolean;
  readonly hasDeclaredKeys: boolean;
  readonly takesAnyInput: boolean;
  readonly hasTools: boolean;
  readonly neverSet: Map<string, Problem>;
}

function graphFacts(graph: Graph, { handlerTypes }: LintContext): GraphFacts {
  const { declaredKeys, of: writersOf } = contextWriters(graph, handlerTypes);
  return {
    flow: controlFlow(graph, handlerTypes),
    suggest: nameSuggester(declaredKeys),
    maySet(path) {
      const key = contextKey(path);
      return writingType(key) === undefined || writersOf(key).size > 0;
    },
    hasDeclaredKeys: declaredKeys.size > 0,
    takesAnyInput: declaredInputs(graph) === undefined,
    hasTools: writersOf('tool.output').size > 0,
    neverSet: new Map(),
  };
}

function describe(unwritten: UnwrittenRead, facts: GraphFacts): Problem | undefined {
  switch (unwritten.kind) {
    case 'impossible':
      return impossible(unwritten);
    case 'consumed':
      return consumed(unwritten.read);
    case 'nobody':
      return unknownKey(unwritten, facts);
    case 'never': {
      const { key, path } = unwritten.read;
      if (stagePathOf(path) !== undefined) return neverPassed(path, [...unwritten.writers], unwritten.way);
      const problem = facts.neverSet.get(key) ?? neverSet(key, [...unwritten.writers], facts);
      facts.neverSet.set(key, problem);
      return problem;
    }
    case 'maybe': {
      const writers = [...unwritten.writers];
      if (stagePathOf(unwritten.read.path) !== undefined) return maybePassed(unwritten, writers);
      return {
        severity: unwritten.read.by === 'reads' ? 'warning' : 'info',
        message: `\`${unwritten.read.key}\` may not be set here: ${names(writers)} ${sets(writers)} it, but not on the path ${describePath(unwritten.way, unwritten.way.length - 2)}`,
        related: placesOf(writers, 'it is set here'),
        fix: { title: 'set it in a stage on every path', edits: [] },
      };
    }
  }
}

function impossible({ read, why: impossibility }: UnwrittenRead & { readonly kind: 'impossible' }): Problem {
  const hint = impossibility.meant === undefined ? '' : ` (did you mean ${excerpt(impossibility.meant)}?)`;
  return {
    message: `nothing sets ${excerpt(read.path)}, so it is always empty${hint}`,
    fix: { title: impossibility.remedy, edits: [] },
  };
}

function consumed({ path, node }: ContextRead): Problem {
  return {
    message: `${excerpt(path)} has no results here: ${excerpt(node.id)}, a fan-in, has removed them`,
    related: placesOf([node], 'the fan-in'),
    fix: {
      title: 'read `parallel.fail_count`, `parallel.success_count` or the choice, `parallel.fan_in.best`',
      edits: [],
    },
  };
}

function unknownKey(
  { read, itemOf, way: nodeIds }: UnwrittenRead & { readonly kind: 'nobody' },
  { suggest, hasDeclaredKeys, hasTools, maySet, takesAnyInput }: GraphFacts,
): Problem | undefined {
  if (itemOf !== undefined) {
    return {
      message: `nothing sets \`${read.key}\` here: it is the item of ${excerpt(itemOf)}, which only the stages of its branch can read`,
      fix: { title: 'after the branches, read `parallel.results.*.item`', edits: [] },
    };
  }
  const type = writingType(read.key);
  if (type !== undefined) {
    if (isInJsonOfTool(read.key) && hasTools) {
      return {
        message: `\`${read.key}\` is never set: no tool of this pipeline has \`output=json\``,
        fix: { title: 'add `output=json` to the tool that prints it', edits: [] },
      };
    }
    return {
      message: `\`${read.key}\` is never set: this pipeline has no ${kindOf(type.title)} to set it`,
      fix: { title: 'read a key that an earlier stage sets', edits: [] },
    };
  }
  const nearest = read.by === 'condition' ? keyMeantInCondition(read) : keyOfHandlerMeant(read);
  const correction = nearest !== undefined && maySet(nearest) ? nearest : undefined;
  if (correction !== undefined) {
    return {
      message: `nothing sets ${excerpt(read.path)}, so it is always empty (did you mean ${excerpt(correction)}?)`,
      fix: { title: `write \`${correction}\` if that is intended`, edits: [] },
    };
  }
  const [root = ''] = read.key.split('.');
  if (rootsOfHandlers.has(root)) {
    const known = handlerKeys.filter((key) => key.startsWith(`${root}.`)).map((key) => `\`${key}\``);
    return {
      message: `nothing sets ${excerpt(read.path)}, so it is always empty`,
      fix: { title: `read one of ${known.join(', ')}`, edits: [] },
    };
  }
  const suggestion = suggest(read.key);
  if (nodeIds !== undefined && suggestion === undefined) return neverDeclared(read, nodeIds, takesAnyInput);
  if (read.by !== 'reads' && suggestion === undefined) return undefined;
  return {
    severity: hasDeclaredKeys ? undefined : 'info',
    message: `no stage has ${excerpt(read.key)} in its \`writes\`, so it may not be set before it is read`,
    fix:
      suggestion === undefined
        ? { title: 'add it to the `writes` of the stage that sets it, or read `inputs.…`', edits: [] }
        : { title: `write \`${suggestion}\` if that is intended`, edits: [] },
  };
}

/** @param takesAnyInput true if `--set` may give the key to a run, because the pipeline declares no inputs (SEMANTICS 97) */
function neverDeclared(
  { path, key }: ContextRead,
  nodeIds: readonly string[],
  takesAnyInput: boolean,
): Problem {
  const empty = takesAnyInput
    ? `no stage sets ${excerpt(path)}, so it is empty unless \`--set ${key}=…\` gives it`
    : `nothing sets ${excerpt(path)}, so it is always empty`;
  return {
    message: `${empty}: every earlier stage declares what it writes, and none declares \`${key}\` (${describePath(nodeIds, nodeIds.length - 2)})`,
    fix: { title: 'add it to the `writes` of the stage that sets it, or read `inputs.…`', edits: [] },
  };
}

function neverPassed(path: string, stages: readonly Node[], nodeIds: readonly string[]): Problem {
  return {
    message: `${excerpt(path)} is always empty here: no path that leads here passes ${names(stages)} (${describePath(nodeIds, nodeIds.length - 2)})`,
    related: placesOf(stages, 'the stage is here'),
    fix: { title: 'name an earlier stage', edits: [] },
  };
}

function maybePassed(
  { read, way: path }: UnwrittenRead & { readonly kind: 'maybe' },
  stages: readonly Node[],
): Problem {
  return {
    severity: 'info',
    message: `${excerpt(read.path)} may be empty here: ${names(stages)} is not on the path ${describePath(path, path.length - 2)}`,
    related: placesOf(stages, 'the stage is here'),
    fix: { title: 'name a stage on every path', edits: [] },
  };
}

/** First parts of keys that only handlers set. */
const rootsOfHandlers: ReadonlySet<string> = new Set(['tool', 'human', 'parallel']);

function kindOf(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? `${title.charAt(0).toLowerCase()}${title.slice(1)}` : title;
}

function neverSet(key: string, writers: readonly Node[], { flow }: GraphFacts): Problem {
  const reached = writers.filter(({ id }) => flow.placesOf(id).length > 0);
  const isInBranches =
    reached.length > 0 &&
    reached.every(({ id }) => flow.placesOf(id).every(({ region }) => region !== undefined));
  const isUsedUp = key === parallelResultsKey || key.startsWith(`${parallelResultsKey}.`);
  const setters = `${names(writers)} ${sets(writers)} it`;
  const reason = isUsedUp
    ? 'no parallel node comes before, or a fan-in has consumed them'
    : isInBranches
      ? `${setters} only in a branch, and values set in a branch are not visible outside it`
      : `${setters}, but on no path that leads here`;
  return {
    message: `\`${key}\` is not set here: ${reason}`,
    related: placesOf(writers, 'it is set here'),
    fix: {
      title: isUsedUp
        ? 'read the choice of the fan-in: `parallel.fan_in.best`'
        : isInBranches
          ? 'read it from `parallel.results`, merge the branches with `on_conflict`, or set it in a stage after the join'
          : 'set it in an earlier stage',
      edits: [],
    },
  };
}

function names(writers: readonly Node[]): string {
  return listNames(
    writers.map(({ id }) => id),
    3,
  );
}

function sets(writers: readonly Node[]): string {
  return writers.length === 1 ? 'sets' : 'set';
}

const mostRelated = 3;

function placesOf(writers: readonly Node[], message: string): readonly RelatedLocation[] {
  return writers.slice(0, mostRelated).map(({ span }) => ({ span, message }));
}
